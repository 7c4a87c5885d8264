/// What a transition rests on, enough to check it by hand.
public struct Evidence: Hashable, Sendable {
    /// The row of the state table that decided, in words that stay the same across versions.
    public var rule: String
    /// Metres, positive inside, of the confirming fix (of the mean position when stationary).
    public var signedDistanceMeters: Double?
    /// The 68 % radius that the rule used, metres.
    public var accuracyMeters: Double?
    /// Fixes that spoke for it, the confirming one included.
    public var confirmations: Int
    /// Seconds from the first of them to the last.
    public var spanSeconds: Double
    /// The longest outage that the decision spans, seconds; nil: none.
    public var gapSeconds: Double?
    public var isStationary: Bool
    /// Seconds from entering to leaving along the chord; `pass` only.
    public var chord: Chord?

    public init(
        rule: String, signedDistanceMeters: Double? = nil, accuracyMeters: Double? = nil,
        confirmations: Int = 1, spanSeconds: Double = 0, gapSeconds: Double? = nil,
        isStationary: Bool = false, chord: Chord? = nil
    ) {
        self.rule = rule
        self.signedDistanceMeters = signedDistanceMeters
        self.accuracyMeters = accuracyMeters
        self.confirmations = confirmations
        self.spanSeconds = spanSeconds
        self.gapSeconds = gapSeconds
        self.isStationary = isStationary
        self.chord = chord
    }

    /// The part of a drive-through that lies in the fence.
    public struct Chord: Hashable, Sendable {
        public var entered: Moment
        public var left: Moment
        /// Metres.
        public var lengthMeters: Double

        public init(entered: Moment, left: Moment, lengthMeters: Double) {
            self.entered = entered
            self.left = left
            self.lengthMeters = lengthMeters
        }
    }
}
