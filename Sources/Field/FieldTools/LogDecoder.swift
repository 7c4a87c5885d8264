import NMEA
import Positioning
import Timekeeping

/// From the bytes of an NMEA log, in any of the forms that loggers write, to its epochs.
///
/// Plain lines, `NMEA,$...,milliseconds`, time stamps before the sentences, binary protocols between
/// them, and UTF-16 with a byte order mark. Dates stand as they were written: there is no floor.
public struct LogDecoder {
    private var decoder: NMEADecoder
    private var filter = UTF16Filter()

    public init(allowsMissingChecksum: Bool = false) {
        decoder = NMEADecoder(
            configuration: .init(allowsMissingChecksum: allowsMissingChecksum, isFile: true))
    }

    public var counters: NMEACounters { decoder.counters }

    /// Takes the next bytes of the log, of any number, and emits the epochs that they complete.
    public mutating func consume(_ bytes: UnsafeRawBufferPointer, emit: (Fix) -> Void) {
        filter.pass(bytes) { decoder.consume($0, at: Self.uptime, emit: emit) }
    }

    /// The log is over.
    public mutating func finish(emit: (Fix) -> Void) {
        filter.finish { decoder.consume($0, at: Self.uptime, emit: emit) }
        decoder.finish(at: Self.uptime, emit: emit)
    }

    /// All epochs of a log that is in memory.
    public static func epochs(of bytes: [UInt8]) -> [Fix] {
        var decoder = LogDecoder()
        var fixes: [Fix] = []
        bytes.withUnsafeBytes { decoder.consume($0) { fixes.append($0) } }
        decoder.finish { fixes.append($0) }
        return fixes
    }

    /// Reading a log tells nothing about when its bytes arrived.
    private static let uptime = Uptime(milliseconds: 0)
}
