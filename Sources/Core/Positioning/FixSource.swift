import Timekeeping

/// What a source tells, in the order in which it happened.
public enum SourceEvent: Hashable, Sendable {
    case fix(Fix)
    case health(SourceHealth)
    /// The source opened its device, again or for the first time: warm-up begins.
    case opened
    /// What the decoder of NMEA bytes was given, with the fixes that came of it, which are not told
    /// by themselves then; only where somebody records.
    case received(Reception)
    /// What a source said that is not NMEA, such as gpsd's JSON: evidence in a recording, whose
    /// replay takes the fixes as the source decoded them. Only where somebody records.
    case report([UInt8], Uptime)
}

/// One call of a source's NMEA decoder and what came of it, in one piece: nothing else happens
/// between the bytes and their fixes, live or in a replay.
public struct Reception: Hashable, Sendable {
    public var input: Input
    public var uptime: Uptime
    public var fixes: [Fix]

    public init(_ input: Input, at uptime: Uptime, fixes: [Fix]) {
        self.input = input
        self.uptime = uptime
        self.fixes = fixes
    }

    public enum Input: Hashable, Sendable {
        case bytes([UInt8])
        /// No bytes came until then, and the decoder closed what was waiting.
        case pause
        /// The stream of bytes ended, and the decoder closed what was open.
        case end
    }
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
