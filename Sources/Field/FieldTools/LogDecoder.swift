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

    /// - Parameter day: of the epochs before the first date in the log; nil leaves them without time.
    public init(allowsMissingChecksum: Bool = false, startingOn day: CalendarDate? = nil) {
        // From noon on, the nearest instant with a time of day is always one of the same day.
        let noon = day.map {
            TrustedTime(
                time: UTCTime(date: $0, millisecondsOfDay: UTCTime.millisecondsPerDay / 2),
                uptime: Self.uptime)
        }
        decoder = NMEADecoder(
            configuration: .init(
                allowsMissingChecksum: allowsMissingChecksum, isFile: true, lastTrusted: noon))
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
        var fixes: [Fix] = []
        forEachEpoch(of: bytes) { fixes.append($0) }
        return fixes
    }

    /// Hands on all epochs of a log that is in memory; returns what the layers counted.
    @discardableResult
    public static func forEachEpoch(
        of bytes: [UInt8], startingOn day: CalendarDate? = nil, _ body: (Fix) -> Void
    ) -> NMEACounters {
        var decoder = LogDecoder(startingOn: day)
        bytes.withUnsafeBytes { decoder.consume($0, emit: body) }
        decoder.finish(emit: body)
        return decoder.counters
    }

    /// Reading a log tells nothing about when its bytes arrived.
    private static let uptime = Uptime(milliseconds: 0)
}
