import Positioning
import Timekeeping

/// Why one fence is in the state in which it is, and what its next transition lacks: the numbers of
/// the state table at the last accepted fix.
public struct FenceExplanation: Hashable, Sendable {
    public var fence: Fence
    public var presence: Presence
    /// When the presence was decided; nil while it is unknown.
    public var since: Moment?
    public var isMonitored: Bool
    /// Inside, but beyond the number that can be monitored.
    public var isFrozen: Bool
    /// The geometry changed: the rows of `unknown` decide next.
    public var awaitsJudgement: Bool
    /// Nil before the first accepted fix.
    public var fix: FilteredFix?
    /// Seconds since the device came to rest; nil: it moves.
    public var restSeconds: Double?
    /// What the rows compare with the boundary now; nil before the first accepted fix.
    public var measure: Measure?
    /// The rows that would lead to the next transition: one that is met is enough.
    public var rows: [Row]
    /// Nil while outside, and for a fence without dwell.
    public var dwell: Dwell?
    public var why: Why

    /// A place against the boundary.
    public struct Measure: Hashable, Sendable {
        /// Fixes in the mean position; nil: the fix itself.
        public var meanFixes: Int?
        /// Metres, positive inside.
        public var signedDistanceMeters: Double
        /// The 68 % radius that the rows use, metres.
        public var accuracyMeters: Double
    }

    /// One row of the state table.
    public struct Row: Hashable, Sendable {
        /// As `Evidence.rule` names it.
        public var rule: String
        public var kind: Transition.Kind
        /// The signed distance that the row asks for, metres: at least so much for an enter, less
        /// than that for an exit.
        public var neededDistanceMeters: Double
        /// How much is missing, metres; 0: nothing.
        public var missingMeters: Double
        /// Fixes that speak for it, of those that it asks for.
        public var confirmations: Int
        public var neededConfirmations: Int
        /// Seconds between the first and the last of them.
        public var spanSeconds: Double
        public var neededSpanSeconds: Double
        /// The least speed at which the row counts, metres per second; nil: any.
        public var neededSpeed: Double?
    }

    /// The clock of a visit.
    public struct Dwell: Hashable, Sendable {
        public var elapsedSeconds: Double
        public var neededSeconds: Double
        public var isReached: Bool
        /// The clock starts again at the next fix inside.
        public var isStopped: Bool
    }

    /// The one thing that explains it best.
    public enum Why: String, Hashable, Sendable, CaseIterable {
        case noFix = "no_fix"
        case notMonitored = "not_monitored"
        case overlapOverflow = "overlap_overflow"
        /// Two fixes must agree on the first state, or one be decisive.
        case unknown
        /// The last fix is too coarse for an arrival.
        case coarseFix = "coarse_fix"
        /// At rest for long: the state holds until the device moves.
        case latched
        /// At rest, but not long enough for the mean position to decide.
        case settling
        case outside
        /// Within the boundary, but not by enough, or not often enough yet.
        case arrivalUnconfirmed = "arrival_unconfirmed"
        case inside
        /// Beyond the boundary, but not by the margin, or not often enough yet.
        case departureUnconfirmed = "departure_unconfirmed"
    }
}
