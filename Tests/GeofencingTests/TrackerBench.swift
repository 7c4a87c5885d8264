import Geodesy
import Geofencing
import Positioning
import TestSupport
import Timekeeping

/// A tracker with one fence, a circle of 100 m around the origin, and fixes by their signed
/// distance from its edge.
struct TrackerBench {
    static let radiusMeters = 100.0

    let track: PlaneTrack
    var tracker: FenceTracker
    /// Everything decided so far, in order.
    private(set) var log: [Transition] = []

    init(
        _ plane: PlaneTrack = PlaneTrack(), rules: TransitionRules = TransitionRules(),
        _ change: (inout Fence) -> Void = { _ in }
    ) throws {
        var track = plane
        track.bootOffset += 1_000_000
        self.track = track
        tracker = FenceTracker(rules: rules)
        var fence = Self.fence(track)
        change(&fence)
        try set([fence], at: 0)
    }

    static func fence(
        _ track: PlaneTrack, id: String = "A", radius: Double = radiusMeters, east: Double = 0
    ) -> Fence {
        Fence(
            id: id, name: id,
            shape: .circle(center: track.coordinate(east: east), radiusMeters: radius))
    }

    mutating func set(_ fences: [Fence], at seconds: Double) throws {
        let moment = Moment(track.fix(at: seconds, east: 0))
        let prepared = try fences.map { try tracker.prepared($0, profile: .gnss) }
        log += tracker.setFences(prepared, at: moment)
        let ids = fences.filter(\.isEnabled).map(\.id)
        tracker.setMonitored(ids: ids, at: moment.uptime ?? Uptime(milliseconds: 0))
    }

    /// A fix `inside` metres inside the edge (negative: outside), east of the centre.
    @discardableResult
    mutating func fix(
        at seconds: Double, inside: Double, accuracy: Double = 10, speed: Double? = 2,
        verdict: FixVerdict = .ok, seedsState: Bool = true
    ) -> [Transition] {
        place(
            at: seconds, east: Self.radiusMeters - inside, accuracy: accuracy, speed: speed,
            verdict: verdict, seedsState: seedsState)
    }

    @discardableResult
    mutating func place(
        at seconds: Double, east: Double, north: Double = 0, accuracy: Double = 10,
        speed: Double? = 2, verdict: FixVerdict = .ok, seedsState: Bool = true
    ) -> [Transition] {
        let found = tracker.ingest(
            track.accepted(
                at: seconds, east: east, north: north, accuracy: accuracy, speed: speed,
                verdict: verdict, seedsState: seedsState))
        log += found
        return found
    }

    mutating func void(at seconds: Double) {
        _ = tracker.ingest(
            FilteredFix(
                fix: track.void(at: seconds), verdict: .invalid, accuracyMeters: 15,
                seedsState: false))
    }

    /// Decisively outside, at second -60 and each second up to -56, at walking pace.
    mutating func beginOutside() {
        for second in 0..<5 { fix(at: -60 + Double(second), inside: -500) }
    }

    /// Decisively inside since second -60: an initial enter.
    mutating func beginInside() {
        for second in 0..<5 { fix(at: -60 + Double(second), inside: 60) }
    }

    /// A restart from the persisted state with the same fences.
    mutating func restart(_ fences: [Fence]? = nil, at seconds: Double) throws {
        let state = tracker.state
        let set = fences ?? tracker.pool.map(\.fence)
        tracker = FenceTracker(rules: tracker.rules, restoring: state)
        try self.set(set, at: seconds)
    }

    /// "enter A", "exit A gap", ...
    var story: [String] { log.map(Self.words) }

    static func words(_ transition: Transition) -> String {
        ([transition.kind.rawValue, transition.fenceID]
            + (transition.isInitial ? ["initial"] : [])
            + (transition.isInferred ? ["inferred"] : [])
            + (transition.reason.map { [$0.rawValue] } ?? [])).joined(separator: " ")
    }

    /// Seconds on the track's scale.
    func seconds(_ moment: Moment?) -> Double? {
        moment?.uptime.map { Double($0.milliseconds - track.bootOffset) / 1000 }
    }
}
