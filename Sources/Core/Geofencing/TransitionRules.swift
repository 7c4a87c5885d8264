/// Every number of the state machine (geofencing.md, sections 2 to 4), with its default.
///
/// Metres, seconds and metres per second throughout.
public struct TransitionRules: Hashable, Sendable {
    /// What a start inside means where the fence does not say.
    public var initialEnter = Fence.InitialEnter.eventOnly
    /// How a drive-through is told where the fence does not say.
    public var passAs = Fence.PassPolicy.pass

    // Arrival in motion
    public var fastSpeed = 3.0
    public var fastCount = 2
    public var fastSpanSeconds = 2.0
    public var slowCount = 3
    public var slowSpanSeconds = 10.0
    /// Share of the mean accuracy that the mean signed distance of a slow arrival must reach.
    public var slowShare = 0.5
    /// Agreeing fixes that settle an unknown state when none is decisive.
    public var seedCount = 2

    // Departure in motion
    public var exitCount = 2
    public var exitSpanSeconds = 2.0
    public var hysteresisMinMeters = 5.0
    public var hysteresisMaxMeters = 20.0

    // Stationarity
    public var stopSpeed = 0.8
    /// Without a speed, displacement over at least this long stands in for it.
    public var displacementSpanSeconds = 2.0
    public var moveSpeed = 1.0
    public var moveCount = 5
    public var fastMoveSpeed = 2.0
    public var fastMoveCount = 2
    /// Farther than this from its mean (and than `placeAccuracies` accuracies) a stop ends sooner.
    public var farFromMeanMeters = 50.0
    /// Far from the mean and after a gap longer than this, a stop has ended.
    public var farGapSeconds = 120.0
    /// From then on the mean position decides.
    public var settleSeconds = 15.0
    public var settledArrivalShare = 0.7
    public var settledAccuracyFloorMeters = 3.0
    /// The accuracy of the mean shrinks with the root of 1 + T over this.
    public var averagingSeconds = 60.0
    /// The greatest weight of the past in the mean, fixes.
    public var meanMaxFixes = 600
    public var recentSeconds = 60.0
    public var recentMinFixes = 3
    public var recentShiftMeters = 20.0
    public var recentShiftAccuracies = 2.0
    public var latchSeconds = 300.0
    public var latchFixes = 10

    // Gaps
    public var closeSeconds = 10.0
    public var closePeriods = 2.5
    /// How old the last persisted fix may be when a process is started again on the way, so that
    /// the first fix on another side dates the crossing: as old as it gets in motion, and a restart.
    public var resumeSeconds = 30.0
    public var samePlaceMeters = 50.0
    public var rampMeters = 150.0
    public var placeAccuracies = 2.0
    /// The longest outage that a visit bridges at the same place; infinite for a kiosk.
    public var bridgeMaxSeconds = 604_800.0
    /// The longest outage that counts for dwell elsewhere inside the fence.
    public var dwellGapMaxSeconds = 600.0
    /// A longer outage elsewhere inside the fence ends the visit.
    public var visitGapMaxSeconds = 1800.0
    /// How old the fixes before may be that a joining fence is evaluated on.
    public var joinMaxAgeSeconds = 120.0
    /// Whether a visit may reach its dwell during an outage, given a stationarity hint.
    public var holdsStationary = false

    // Pass
    public var passInsideSpeed = 5.0
    public var passMaxAccuracyMeters = 50.0
    public var passMinSpeed = 1.5
    public var passChordShare = 0.8

    /// Inside without a fix that shows it for longer than this, the state is shown as uncertain.
    public var uncertainSeconds = 30.0

    public init() {}

    /// How far outside a departure lies, metres: the accuracy, capped where the fence caps it, and
    /// the margin.
    public func departureMarginMeters(_ accuracyMeters: Double, capMeters: Double?) -> Double {
        let accuracy = min(accuracyMeters, capMeters ?? .infinity)
        return accuracy + min(max(accuracy, hysteresisMinMeters), hysteresisMaxMeters)
    }

    /// Takes over what the server says about these numbers.
    public mutating func apply(_ remote: RemoteConfiguration) {
        dwellGapMaxSeconds = remote.dwellGapMaxSeconds ?? dwellGapMaxSeconds
        visitGapMaxSeconds = remote.visitGapMaxSeconds ?? visitGapMaxSeconds
        passAs = remote.passAs ?? passAs
    }
}
