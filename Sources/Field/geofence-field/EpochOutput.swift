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

    mutating func write(_ counters: NMEACounters) {
        if lines.isFull { drain() }
        _ = lines.append(counters)
    }

    /// Hands everything on. Throws `OutputError.closed` when nobody reads any more.
    mutating func flush() throws(OutputError) {
        drain()
        if let failure { throw failure }
        try output.flush()
    }

    private mutating func drain() {
        guard failure == nil, !lines.isEmpty else { return }
        do throws(OutputError) { try output.bytes(lines.take()) } catch { failure = error }
    }
}
