import Geodesy
import Timekeeping

/// One fence as `status` shows it.
public struct FenceStatus: Hashable, Sendable {
    public var id: String
    public var name: String
    public var presence: Presence
    /// Metres to the boundary at the last accepted fix, positive inside; nil before the first.
    public var signedDistanceMeters: Double?
    /// Inside, but no fix has shown it for a while.
    public var isUncertain: Bool
    /// When the presence was decided; nil while it is unknown.
    public var since: Moment?
    public var isMonitored: Bool
    /// Inside, but beyond the number that can be monitored.
    public var isFrozen: Bool
    public var hasDwelled: Bool
    /// Seconds that count towards dwell; nil: not inside, or no dwell.
    public var dwellSeconds: Double?
    /// A circle smaller than twice the accuracy of the last fix: noise decides as much as the device.
    public var isTooSmallHere: Bool
    /// Added on the device itself.
    public var isLocal: Bool
}

extension FenceTracker {
    /// Every fence of the pool, nearest first.
    public func status(at now: Uptime) -> [FenceStatus] {
        let point = previous?.fix.coordinate.map(SurfacePoint.init)
        return fences.filter { !$0.isRetired }.map { status(of: $0, point, at: now) }
            .sorted { left, right in
                let first = left.signedDistanceMeters ?? -.infinity
                let second = right.signedDistanceMeters ?? -.infinity
                return first == second ? left.id < right.id : first > second
            }
    }

    private func status(
        of tracked: TrackedFence, _ point: SurfacePoint?, at now: Uptime
    ) -> FenceStatus {
        let visit = tracked.state.visit
        let shown = visit?.lastEvidence.uptime.map { now.seconds(since: $0) }
        var isTooSmall = false
        if case .circle(_, let radius) = tracked.prepared.shape.shape, let previous {
            isTooSmall = radius < 2 * previous.accuracyMeters
        }
        return FenceStatus(
            id: tracked.fence.id, name: tracked.fence.name, presence: tracked.state.presence,
            signedDistanceMeters: point.map(tracked.prepared.shape.signedDistance),
            isUncertain: visit != nil && (shown ?? .infinity) > rules.uncertainSeconds,
            since: tracked.state.since, isMonitored: tracked.isMonitored,
            isFrozen: tracked.isFrozen, hasDwelled: visit?.hasDwelled ?? false,
            dwellSeconds: tracked.fence.dwellSeconds == nil || visit?.isClockStopped == true
                ? nil : visit?.clockStart.uptime.map { max(0, now.seconds(since: $0)) },
            isTooSmallHere: isTooSmall, isLocal: tracked.fence.isLocal)
    }

    /// Whether the device is inside any fence.
    public var isInsideAny: Bool {
        // By index: an element is some hundred bytes to copy, and this is asked at every fix.
        for index in fences.indices where fences[index].state.presence == .inside { return true }
        return false
    }
}
