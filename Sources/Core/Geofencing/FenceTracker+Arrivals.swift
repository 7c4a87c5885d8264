import Timekeeping

/// A fence that the device is inside of.
public struct Arrival: Hashable, Sendable {
    public var fenceID: String
    public var name: String
    public var entered: Moment
    /// When it had stayed long enough; nil: it has not yet.
    public var dwelled: Moment?
}

extension FenceTracker {
    /// The most recent arrival at a fence that the device is still inside of; nil: none.
    public var latestArrival: Arrival? {
        var latest: Arrival?
        for tracked in fences where tracked.state.presence == .inside {
            guard let visit = tracked.state.visit else { continue }
            let arrival = Arrival(
                fenceID: tracked.fence.id, name: tracked.fence.name, entered: visit.entered,
                dwelled: visit.hasDwelled ? Self.dwelled(visit, tracked.fence) : nil)
            if let found = latest, !found.isBefore(arrival) { continue }
            latest = arrival
        }
        return latest
    }

    private static func dwelled(_ visit: Visit, _ fence: Fence) -> Moment {
        visit.clockStart.advanced(byMilliseconds: Visit.milliseconds(fence.dwellSeconds ?? 0))
    }
}

extension Arrival {
    /// The later one; of two at once the smaller id.
    fileprivate func isBefore(_ other: Arrival) -> Bool {
        if entered.isBefore(other.entered) { return true }
        return !other.entered.isBefore(entered) && other.fenceID < fenceID
    }
}
