import Geodesy
import Positioning
import Timekeeping

/// Which fences of the pool are looked at.
extension FenceTracker {
    /// The fences of the pool in their order, for the ranking; retired ones included.
    public var pool: [PreparedFence] { fences.map(\.prepared) }

    public var poolCount: Int { fences.count }

    /// Measures every fence at the next fix, however far away it was; decisions stay the same.
    public mutating func forgetDistances() {
        looksEverywhere = true
        isReachKnown = false
    }

    /// Fences of the pool that still take part.
    public var activePool: [PreparedFence] {
        fences.filter { !$0.isRetired }.map(\.prepared)
    }

    /// The place of an accepted fix for the ranking, with what must stay monitored.
    public func situation(of fix: FilteredFix, limit: Int) -> RegionSituation? {
        guard let coordinate = fix.fix.coordinate else { return nil }
        var situation = RegionSituation(
            from: nil, to: coordinate, accuracyMeters: fix.accuracyMeters, speed: fix.fix.speed,
            limit: limit)
        if let previous,
            fix.fix.uptime.seconds(since: previous.fix.uptime) <= rules.joinMaxAgeSeconds
        {
            situation.from = previous.fix.coordinate
        }
        for tracked in fences where tracked.isMonitored {
            if tracked.state.presence == .inside { situation.inside.insert(tracked.fence.id) }
            if tracked.state.isPending { situation.pending.insert(tracked.fence.id) }
            if tracked.state.exitRun != nil { situation.leaving.insert(tracked.fence.id) }
        }
        return situation
    }

    /// As `setMonitored(_:at:)` by id; unknown ids are passed over.
    public mutating func setMonitored(ids: [String], at now: Uptime) {
        setMonitored(ids.compactMap { indexByID[$0] }, at: now)
    }

    /// Makes these fences of the pool the monitored ones. Fences that join are evaluated on the
    /// accepted fixes before; fences that leave are forgotten, unless they are inside: those are
    /// frozen as they are (`overlap_overflow`).
    public mutating func setMonitored(_ indices: [Int], at now: Uptime) {
        if indices == monitored { return }
        var isChosen = [Bool](repeating: false, count: fences.count)
        for index in indices where fences.indices.contains(index) && !fences[index].isRetired {
            isChosen[index] = true
        }
        for index in fences.indices {
            if isChosen[index] {
                if fences[index].isFrozen {
                    fences[index].isFrozen = false
                } else if !fences[index].isMonitored {
                    join(index, at: now)
                }
                fences[index].isMonitored = true
            } else if fences[index].isMonitored {
                drop(index)
            }
        }
        monitored = indices.filter { isChosen.indices.contains($0) && isChosen[$0] }
    }

    private mutating func drop(_ index: Int) {
        if fences[index].state.presence == .inside {
            fences[index].isFrozen = true
            fences[index].state.exitRun = nil
        } else {
            fences[index].state = FenceState()
            fences[index].isMonitored = false
        }
    }

    /// Gives a joining fence the state that it would have had if it had always been looked at.
    ///
    /// The older of the two fixes says where the device came from; the rows of `unknown` on both
    /// would turn an arrival between them into a start inside.
    private mutating func join(_ index: Int, at now: Uptime) {
        guard let last = seed(previous, for: fences[index], at: now) else { return }
        let shape = fences[index].prepared.shape
        let lastDistance = shape.signedDistance(to: last.point)
        let earlier = seed(beforePrevious, for: fences[index], at: now)
        let origin = earlier.map { shape.signedDistance(to: $0.point) } ?? lastDistance
        guard origin <= 0 || lastDistance <= 0 else { return }
        var state = FenceState()
        state.presence = .outside
        state.since = Moment(last.fix.fix)
        state.isOnInside = lastDistance > 0
        state.signedDistanceMeters = lastDistance
        state.travelledMeters = travelledMeters
        state.motions = motions
        state.breaks = breaks
        if lastDistance > 0 {
            state.insideRun = InsideRun(
                all: FixRun(count: 1, since: last.fix.fix.uptime), distanceSum: lastDistance,
                accuracySum: last.fix.accuracyMeters, first: Moment(last.fix.fix),
                travelledMeters: travelledMeters)
        }
        fences[index].state = state
    }

    private struct Seed {
        let fix: FilteredFix
        let point: SurfacePoint
    }

    /// The fix, if the fence may be evaluated on it.
    private func seed(_ fix: FilteredFix?, for tracked: TrackedFence, at now: Uptime) -> Seed? {
        guard let fix, fix.verdict == .ok, fix.seedsState, let coordinate = fix.fix.coordinate,
            now.seconds(since: fix.fix.uptime) <= rules.joinMaxAgeSeconds,
            existed(tracked, at: fix)
        else { return nil }
        return Seed(fix: fix, point: SurfacePoint(coordinate))
    }

    private func existed(_ tracked: TrackedFence, at fix: FilteredFix) -> Bool {
        guard let addedAt = tracked.addedAt, addedAt > fix.fix.uptime else { return true }
        guard let created = tracked.fence.createdAt else { return false }
        guard fix.fix.isTimeTrusted, let time = fix.fix.time else { return true }
        return created <= time
    }
}
