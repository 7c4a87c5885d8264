import Geodesy

/// A fix with the quality gate's opinion of it.
public struct FilteredFix: Hashable, Sendable {
    public var fix: Fix
    public var verdict: FixVerdict
    /// The 68 % radius that decisions use, metres: scaled, floored, never unknown.
    public var accuracyMeters: Double
    /// Whether it may decide what a fence's state is at the start: `ok` and past the warm-up.
    public var seedsState: Bool

    public init(
        fix: Fix, verdict: FixVerdict, accuracyMeters: Double, seedsState: Bool = true
    ) {
        self.fix = fix
        self.verdict = verdict
        self.accuracyMeters = accuracyMeters
        self.seedsState = seedsState
    }

    /// The receiver itself says that there is no position: what lies around it is an outage.
    public var isVoid: Bool { verdict == .nullIsland || fix.coordinate == nil }
}
