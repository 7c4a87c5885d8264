import Timekeeping

/// What a source tells, in the order in which it happened.
public enum SourceEvent: Hashable, Sendable {
    case fix(Fix)
    case health(SourceHealth)
    /// The source opened its device, again or for the first time: warm-up begins.
    case opened
    /// NMEA bytes as they arrived, before the fixes that the source decodes from them; for
    /// recordings, and only where somebody records.
    case raw([UInt8], Uptime)
    /// No bytes came until then, so the decoder of `raw` bytes closed what was waiting. Told where
    /// `raw` is, before the fixes that it leads to.
    case paused(Uptime)
    /// The stream of `raw` bytes ended, and the decoder closed what was open. Told where `raw` is,
    /// before the fixes that it leads to.
    case ended(Uptime)
    /// What a source said that is not NMEA, such as gpsd's JSON: evidence in a recording, whose
    /// replay takes the fixes as the source decoded them. Only where somebody records.
    case report([UInt8], Uptime)
}

/// A receiver: serial NMEA, gpsd, a recording or a fixed position.
///
/// An implementation reads on a thread of its own and never waits for its consumer.
public protocol FixSource: Sendable {
    /// Starts reading. `deliver` is called from the source's thread and returns at once.
    func start(deliver: @escaping @Sendable (SourceEvent) -> Void)
    /// Stops reading and waits, at most a second, for the source's thread to end.
    func stop()
}
