import CommandLineTool
import FieldTools
import NMEA
import Positioning

/// Epochs on standard output, in full buffers.
struct EpochOutput {
    private let output: OutputWriter
    private var lines = EpochLineWriter()
    /// What the last full buffer met; thrown by `flush`.
    private var failure: OutputError?

    init(_ output: OutputWriter) {
        self.output = output
    }

    mutating func write(_ fix: Fix) {
        if lines.isFull { drain() }
        _ = lines.append(fix)
    }

    mutating func write(_ counters: LogCounters) {
        switch counters {
        case .nmea(let counters):
            if lines.isFull { drain() }
            _ = lines.append(counters)
        case .gpsd(let counters):
            drain()
            put(EpochLineWriter.line(of: counters)[...])
        case .track(let counters):
            drain()
            put(EpochLineWriter.line(of: counters)[...])
        }
    }

    /// Hands everything on. Throws `OutputError.closed` when nobody reads any more.
    mutating func flush() throws(OutputError) {
        drain()
        if let failure { throw failure }
        try output.flush()
    }

    private mutating func drain() {
        guard !lines.isEmpty else { return }
        put(lines.take())
    }

    private mutating func put(_ bytes: ArraySlice<UInt8>) {
        guard failure == nil else { return }
        do throws(OutputError) { try output.bytes(bytes) } catch { failure = error }
    }
}
