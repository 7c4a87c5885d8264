/// The numbers of the quality gate (positioning.md, section 4).
public struct FixFilterRules: Hashable, Sendable {
    /// Multiplies every claimed accuracy; `report` prints the right one for a receiver.
    public var accuracyScale = 1.0
    /// Whether dead reckoning counts for a while after a real fix.
    public var acceptsEstimated = false
    /// The fix after which dead reckoning is no longer believed, seconds.
    public var estimatedMaxSeconds = 120.0
    /// The worst accuracy of the receiver's own at which dead reckoning is believed, metres.
    public var estimatedMaxMeters = 30.0
    /// Stands in for an accuracy that is unknown or 0, metres.
    public var unknownAccuracyMeters = 15.0
    public var accuracyFloorMeters = 3.0
    public var rtkAccuracyFloorMeters = 0.5
    /// Beyond it a fix cannot prove an arrival, seed a state or be an anchor, metres.
    public var arriveMaxMeters = 100.0
    /// Beyond it a fix is ignored, metres.
    public var departMaxMeters = 300.0
    /// Half the side of the square around 0 N 0 E that no receiver means, degrees.
    public var nullIslandDegrees = 1e-4
    /// Added to the greater of two speeds to bound what is plausible between them, m/s.
    public var speedMargin = 4.0
    /// Bounds what is plausible where a speed is missing, m/s.
    public var unknownSpeedLimit = 70.0
    /// Added to twice both accuracies, metres.
    public var displacementMarginMeters = 10.0
    /// A held chain this old with enough fixes is the truth, seconds.
    public var releaseSeconds = 10.0
    public var releaseCount = 4
    /// Enough fixes when they move and their speed agrees with their displacement.
    public var dopplerReleaseCount = 3
    public var dopplerMinSpeed = 3.0
    public var dopplerTolerance = 2.0
    /// After this long without an accepted fix the next one is accepted, seconds.
    public var lockoutMaxSeconds = 120.0
    /// Held fixes; beyond it every second one is dropped.
    public var heldMax = 64
    public var frozenEpochs = 60
    public var frozenMinSpeed = 1.0
    /// Valid epochs after opening that do not seed a state.
    public var warmUpEpochs = 3
    /// A fix this accurate ends the warm-up early, metres.
    public var warmUpAccuracyMeters = 30.0
    public var warmUpSeconds = 15.0
    /// Without a fix for longer than this the warm-up begins again, seconds.
    public var warmUpGapSeconds = 30.0
    /// A fix expires after this many periods ...
    public var expiryPeriods = 3.0
    /// ... but not before this many seconds.
    public var expiryMinSeconds = 3.0

    public init() {}
}
