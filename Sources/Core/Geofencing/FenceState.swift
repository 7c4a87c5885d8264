import Snapshots
import Timekeeping

/// What the tracker knows about one fence.
struct FenceState: Hashable, Sendable {
    var presence = Presence.unknown
    /// The geometry changed: the rows of `unknown` decide next.
    var awaitsJudgement = false
    /// Agreeing fixes in the rows of `unknown`: positive inside, negative outside.
    var seedRun = 0
    /// Fixes inside that have not made an arrival yet.
    var insideRun: InsideRun?
    /// Fixes beyond the margin that have not made a departure yet.
    var exitRun: FixRun?
    /// Present exactly while inside.
    var visit: Visit?
    /// On which side the last fix lay that was good enough to tell.
    var isOnInside: Bool?
    /// Metres, positive inside, at the last look.
    var signedDistanceMeters: Double?
    /// How far the device had travelled at the last look, metres.
    var travelledMeters = 0.0
    var crossings = CrossingMemory()
    /// `motions` and `breaks` of the tracker that `crossings` knows of.
    var motions = 0
    var breaks = 0
    /// When the last enter, exit or pass occurred; no crossing before it is used again.
    var lastBoundary: Moment?
    /// When the presence was decided.
    var since: Moment?

    /// Something is under way that must not be dropped from the monitored set.
    var isPending: Bool { insideRun != nil || exitRun != nil || awaitsJudgement }

    /// Whether only a fix inside is news.
    @inline(__always)
    var isQuiet: Bool {
        presence == .outside && insideRun == nil && !awaitsJudgement && isOnInside == false
    }

    /// The reading of the odometer below which nothing can have happened: the distance to an edge
    /// changes by no more than one travels. The share and the metre are for the errors of measuring.
    @inline(__always)
    var reachMeters: Double {
        guard isQuiet, let distance = signedDistanceMeters else { return -.infinity }
        return Self.reachMeters(signedDistanceMeters: distance, travelledMeters: travelledMeters)
    }

    @inline(__always)
    static func reachMeters(signedDistanceMeters: Double, travelledMeters: Double) -> Double {
        travelledMeters - signedDistanceMeters * 0.999 - 1
    }

    /// What happened to the device while this fence was not looked at, which is far outside: it was
    /// in motion there, or came from elsewhere.
    mutating func catchUp(motions: Int, breaks: Int) {
        if self.breaks != breaks {
            self.breaks = breaks
            crossings.removeAll()
        }
        if self.motions != motions {
            self.motions = motions
            if let isOnInside { crossings.confirmInMotion(isInside: isOnInside) }
        }
    }
}

/// Whether a restart must know what a fix changed: that the device is inside, or is no longer, or the
/// moment at which it left in motion, which the departure that will be confirmed later is dated by.
/// That it is outside of a fence where it was unknown goes with the next write, and the jitter of a
/// stop near the edge is not worth one.
struct PersistedLook {
    private let presence: Presence
    private let departure: Crossing?

    @inline(__always)
    init(_ presence: Presence, _ crossings: CrossingMemory) {
        self.presence = presence
        departure = crossings.departureInMotion
    }

    @inline(__always)
    func isOutdated(by presence: Presence, _ crossings: CrossingMemory) -> Bool {
        if presence != self.presence { return presence == .inside || self.presence == .inside }
        guard presence == .inside, let now = crossings.departureInMotion else { return false }
        return now != departure
    }
}

/// Where the device is, as far as one fence is concerned.
public enum Presence: String, Hashable, Sendable, Codable {
    case unknown, outside, inside
}

/// Consecutive fixes that say the same.
struct FixRun: Hashable, Sendable {
    var count: Int
    var since: Uptime

    /// Starts a run, or continues one.
    static func extending(_ run: FixRun?, at now: Uptime) -> FixRun {
        FixRun(count: (run?.count ?? 0) + 1, since: run?.since ?? now)
    }

    func spanSeconds(at now: Uptime) -> Double { now.seconds(since: since) }
}

/// Consecutive fixes inside, none of them decisive.
struct InsideRun: Hashable, Sendable {
    var all: FixRun
    /// Those of them at arrival speed.
    var fast: FixRun?
    var distanceSum = 0.0
    var accuracySum = 0.0
    /// One of them was fast enough for a drive-through.
    var isDrivingThrough = false
    /// Where the way came in, for the chord of a pass.
    var entry: Crossing?
    /// The first of them.
    var first: Moment
    /// Metres travelled when the run began.
    var travelledMeters: Double
}

/// Time inside a fence, from its enter on.
struct Visit: Hashable, Sendable, Codable {
    var entered: Moment
    /// From when dwell counts: the enter, or later where an outage broke it.
    var clockStart: Moment
    /// The clock starts again at the next fix inside.
    var isClockStopped = false
    var hasDwelled = false
    /// The last fix that showed the device inside.
    var lastEvidence: Moment
    /// Whether the last good fix showed the device inside.
    var isShown = true
    /// Whether it did so by more than its accuracy.
    var isDecisive = false
    /// The longest outage since the clock started, seconds.
    var longestGapSeconds: Double?
    /// No clock spans the time since the enter.
    var isSuspect = false

    init(entered: Moment, detected: Moment, isDecisive: Bool) {
        self.entered = entered
        clockStart = entered
        lastEvidence = detected
        self.isDecisive = isDecisive
    }

    mutating func restartClock(at moment: Moment) {
        clockStart = moment
        isClockStopped = false
        longestGapSeconds = nil
    }
}

/// A place in time where the track crossed the boundary.
struct Crossing: Hashable, Sendable, Codable {
    var isInward: Bool
    var moment: Moment
    var uncertaintySeconds: Double

    private enum CodingKeys: String, CodingKey {
        case isInward = "in"
        case moment = "at"
        case uncertaintySeconds = "uncertainty_s"
    }
}

/// The last crossings, apart for those in motion and those of the jitter of a stop.
struct CrossingMemory: Hashable, Sendable, Codable {
    private var inMotion: Crossing?
    private var atRest: Crossing?

    private enum CodingKeys: String, CodingKey {
        case inMotion = "moving"
        case atRest = "resting"
    }

    mutating func record(_ crossing: Crossing, atRest isAtRest: Bool) {
        if isAtRest {
            atRest = crossing
        } else {
            inMotion = crossing
            atRest = nil
        }
    }

    mutating func removeAll() {
        self = CrossingMemory()
    }

    /// A fix in motion on one side: a crossing that leads to the other was undone at rest since,
    /// by the one that is now the last that a device in motion has.
    mutating func confirmInMotion(isInside: Bool) {
        guard let last = inMotion, last.isInward != isInside else { return }
        inMotion = atRest
        atRest = nil
    }

    /// The last crossing outwards in motion; nil: the last one in motion led inwards.
    var departureInMotion: Crossing? {
        guard let inMotion, !inMotion.isInward else { return nil }
        return inMotion
    }

    /// The same on another uptime scale.
    mutating func rebase(shiftMilliseconds shift: Int64?) {
        if let moment = inMotion?.moment { inMotion?.moment = moment.rebased(shift) }
        if let moment = atRest?.moment { atRest?.moment = moment.rebased(shift) }
    }

    /// The last crossing, if it leads the given way and nothing was decided since.
    ///
    /// - Parameter beforeStop: only what was crossed before the device came to rest.
    func last(inward: Bool, beforeStop: Bool, notBefore boundary: Moment?) -> Crossing? {
        guard let last = beforeStop ? inMotion : atRest ?? inMotion, last.isInward == inward
        else { return nil }
        if let boundary, last.moment.isBefore(boundary) { return nil }
        return last
    }
}

extension CrossingMemory: Snapshotted {
    func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(inMotion)
        snapshot.write(atRest)
    }

    init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        inMotion = try snapshot.read()
        atRest = try snapshot.read()
    }
}
