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

    /// See `FenceState.reachMeters`.
    @inline(__always)
    var reachMeters: Double { state.reachMeters }

    /// Takes in a fix that is no news to a quiet fence, being outside by more than some metres;
    /// gives the new `reachMeters`, or nil where the fix may be news.
    @inline(__always)
    mutating func reach(
        fromOutside point: SurfacePoint, beyond metres: Double, travelledMeters: Double
    ) -> Double? {
        let distance = prepared.signedDistance(to: point)
        guard -distance > metres else { return nil }
        state.signedDistanceMeters = distance
        state.travelledMeters = travelledMeters
        return FenceState.reachMeters(
            signedDistanceMeters: distance, travelledMeters: travelledMeters)
    }

    /// Judges a fix in full.
    mutating func judged(
        by observation: Observation, into found: inout [Finding]
    ) -> (isWorthPersisting: Bool, reachMeters: Double) {
        let before = PersistedLook(state.presence, state.crossings)
        observation.judge(&self, into: &found)
        let isOutdated = before.isOutdated(by: state.presence, state.crossings)
        // To ask the state copies it, which for a fence that the device is in is not needed.
        return (isOutdated, state.presence == .outside ? state.reachMeters : -.infinity)
    }
}
