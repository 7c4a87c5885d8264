import Timekeeping

/// What a source tells, in the order in which it happened.
public enum SourceEvent: Hashable, Sendable {
    case fix(Fix)
    case health(SourceHealth)
    /// The source opened its device, again or for the first time: warm-up begins.
    case opened
    /// The receiver's own bytes, before any decoding, for recordings.
    case raw([UInt8], Uptime)
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
