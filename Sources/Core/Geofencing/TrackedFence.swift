import Geodesy
import Timekeeping

/// A fence of the pool with its state.
struct TrackedFence: Sendable {
    var prepared: PreparedFence
    var state = FenceState()
    let areaSquareMeters: Double
    /// When it came into the pool; nil: it was there from the start.
    var addedAt: Uptime?
    var isMonitored = false
    /// Inside, but beyond the number that can be monitored.
    var isFrozen = false
    /// Expired: no longer looked at.
    var isRetired = false

    init(_ prepared: PreparedFence, addedAt: Uptime?) {
        self.prepared = prepared
        self.addedAt = addedAt
        areaSquareMeters = prepared.shape.areaSquareMeters
    }

    var fence: Fence { prepared.fence }

    /// Whether nothing can have happened: outside, and nearer to where it was last measured than
    /// the boundary was then (the distance to an edge changes by no more than one travels).
    @inline(__always)
    func isOutOfReach(_ observation: Observation) -> Bool {
        guard state.presence == .outside, let distance = state.signedDistanceMeters,
            state.insideRun == nil, !state.awaitsJudgement
        else { return false }
        return observation.travelledMeters - state.travelledMeters + observation.meanOffsetMeters
            < -distance * 0.999 - 1
    }
}
