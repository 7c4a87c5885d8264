import NMEA
import Positioning
import WireFormat

/// What a source of fixes tells of itself, for `status`.
public struct ReceiverReport: Hashable, Sendable {
    /// The open device; nil while none is, or for a source without one.
    public var device: String?
    public var baud: Int?
    /// Times that a device was opened since the start.
    public var openings: Int
    /// Times that a receiver hung up since the start.
    public var hangUps: Int
    /// What each layer of the decoder did since the start; nil for a source that decodes no NMEA.
    public var nmea: NMEACounters?
    /// What was made of gpsd's lines since the start; nil for a source that is not gpsd.
    public var gpsd: GPSDCounters?
    /// What the time resolver did since the start; nil for a source without one.
    public var time: TimeResolverCounts?
    /// Since the start.
    public var bytes: Int

    public init(
        device: String? = nil, baud: Int? = nil, openings: Int = 0, hangUps: Int = 0,
        nmea: NMEACounters? = nil, gpsd: GPSDCounters? = nil,
        time: TimeResolverCounts? = nil, bytes: Int? = nil
    ) {
        self.device = device
        self.baud = baud
        self.openings = openings
        self.hangUps = hangUps
        self.nmea = nmea
        self.gpsd = gpsd
        self.time = time
        self.bytes = bytes ?? nmea?.bytes ?? gpsd?.bytes ?? 0
    }
}
