/// What is written in the same transaction as the events that it belongs to.
public struct StateUpdate: Hashable, Sendable {
    /// New values by key; a nil value removes the key. Keys that are not named stay as they are.
    public var values: [StateKey: [UInt8]?]
    /// Replaces the stored anchor of the same boot; nil: none is written.
    public var clockAnchor: ClockAnchor?

    public init(values: [StateKey: [UInt8]?] = [:], clockAnchor: ClockAnchor? = nil) {
        self.values = values
        self.clockAnchor = clockAnchor
    }

    /// Nothing but the events.
    public static let none = StateUpdate()

    public var isEmpty: Bool { values.isEmpty && clockAnchor == nil }
}

/// Names one value of the agent's state. The queue does not look into the values.
public struct StateKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The state of the tracking pipeline.
    public static let pipeline = StateKey(rawValue: "pipeline")
    /// The last answer with fences, as it came.
    public static let fences = StateKey(rawValue: "fences")
    /// Entity tag of `fences`.
    public static let fencesTag = StateKey(rawValue: "fences_tag")
    /// Fences that are monitored on, although `fences` does not name them.
    public static let keptFences = StateKey(rawValue: "kept_fences")
    /// Where and when the last successful sync took place.
    public static let coverageAnchor = StateKey(rawValue: "coverage_anchor")
    /// The latest trusted UTC, for the certificate check after a start with a wrong clock.
    public static let lastGoodTime = StateKey(rawValue: "last_good_time")
    /// Which clock anchors the server has and needs.
    public static let anchorLedger = StateKey(rawValue: "anchor_ledger")
    /// Which notifications were shown when.
    public static let cooldowns = StateKey(rawValue: "cooldowns")
    /// Fences that were added on the device itself.
    public static let localFences = StateKey(rawValue: "local_fences")
}
