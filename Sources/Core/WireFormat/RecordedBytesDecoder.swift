import NMEA
import Positioning
import Timekeeping

/// The decoder of `raw` records: NMEA and what lies between it, or gpsd's JSON.
///
/// A source writes whole lines of gpsd into a record and never mixes them with sentences, so each
/// record says by its beginning which of the two it is.
public struct RecordedBytesDecoder: Sendable {
    public private(set) var nmea: NMEADecoder
    public private(set) var gpsd: GPSDDecoder

    public init(configuration: NMEADecoder.Configuration = NMEADecoder.Configuration()) {
        nmea = NMEADecoder(configuration: configuration)
        gpsd = GPSDDecoder(
            configuration: GPSDDecoder.Configuration(
                isFile: configuration.isFile, dateFloor: configuration.dateFloor,
                lastTrusted: configuration.lastTrusted))
    }

    /// When `idle` is due if no bytes arrive before; nil while nothing waits for it.
    public var idleDeadline: Uptime? {
        guard let first = nmea.idleDeadline else { return gpsd.idleDeadline }
        return gpsd.idleDeadline.map { min(first, $0) } ?? first
    }

    /// Takes the bytes of one record, and emits the epochs that they complete.
    public mutating func consume(_ bytes: [UInt8], at uptime: Uptime, emit: (Fix) -> Void) {
        if GPSDDecoder.recognises(bytes) {
            gpsd.consume(bytes[...], at: uptime, emit: emit)
        } else {
            nmea.consume(bytes, at: uptime, emit: emit)
        }
    }

    /// No bytes came until `uptime`: closes what is open if its pause is over.
    public mutating func idle(at uptime: Uptime, emit: (Fix) -> Void) {
        nmea.idle(at: uptime, emit: emit)
        gpsd.idle(at: uptime, emit: emit)
    }

    /// The bytes are over.
    public mutating func finish(at uptime: Uptime, emit: (Fix) -> Void) {
        nmea.finish(at: uptime, emit: emit)
        gpsd.finish(at: uptime, emit: emit)
    }
}
