import Geodesy
import Positioning
import Timekeeping

/// A decision of the tracker about one fence, with the evidence for it.
public struct Transition: Hashable, Sendable {
    public var kind: Kind
    public var fenceID: String
    public var fenceVersion: Int
    /// When it happened: the interpolated crossing, or enter + dwell, or the confirming fix.
    public var occurred: Moment
    /// Half-width of the interval that holds the true moment, seconds, 0 or more.
    public var occurredUncertaintySeconds: Double
    /// The fix that confirmed it.
    public var detected: Moment
    /// Monitoring began inside, without a crossing seen.
    public var isInitial: Bool
    /// Concluded over an outage rather than observed.
    public var isInferred: Bool
    /// Why, beyond the evidence: `gap`, `fence_deleted`, ...; nil for a plain crossing.
    public var reason: Reason?
    public var evidence: Evidence
    /// The confirming fix.
    public var fix: Fix
    /// Inside time that an exit closes, seconds; nil for other kinds.
    public var durationSeconds: Double?
    /// When the visit began that a dwell makes: the enter; nil for other kinds.
    public var visitStart: Moment?
    /// Whether a notification may follow (an initial enter under `event_only` may not).
    public var mayNotify: Bool
    /// Whether it becomes an event: false for a silent start inside and for kinds that the fence
    /// does not report. State and visits run in any case.
    public var isReported: Bool
    /// An exit that ends a visit, which is what a dwell made of the time inside.
    public var endsVisit: Bool
    /// No clock spans the outage before it, so durations are not known.
    public var isClockSuspect: Bool

    public init(
        kind: Kind, fenceID: String, fenceVersion: Int, occurred: Moment,
        occurredUncertaintySeconds: Double = 0, detected: Moment, isInitial: Bool = false,
        isInferred: Bool = false, reason: Reason? = nil, evidence: Evidence, fix: Fix,
        durationSeconds: Double? = nil, mayNotify: Bool = true, isReported: Bool = true,
        endsVisit: Bool = false, isClockSuspect: Bool = false
    ) {
        self.kind = kind
        self.fenceID = fenceID
        self.fenceVersion = fenceVersion
        self.occurred = occurred
        self.occurredUncertaintySeconds = occurredUncertaintySeconds
        self.detected = detected
        self.isInitial = isInitial
        self.isInferred = isInferred
        self.reason = reason
        self.evidence = evidence
        self.fix = fix
        self.durationSeconds = durationSeconds
        self.mayNotify = mayNotify
        self.isReported = isReported
        self.endsVisit = endsVisit
        self.isClockSuspect = isClockSuspect
    }

    /// Raw values are event types of the wire.
    public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
        case enter
        case exit
        case dwell
        case pass
    }

    /// Raw values are those of `reason` on the wire.
    public enum Reason: String, Hashable, Sendable, Codable {
        case gap
        case fenceDeleted = "fence_deleted"
        case fenceDisabled = "fence_disabled"
        case fenceExpired = "fence_expired"
        case fenceChanged = "fence_changed"
    }
}
