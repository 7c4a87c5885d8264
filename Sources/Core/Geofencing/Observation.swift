import Geodesy
import Positioning
import Timekeeping

/// An accepted fix in its context: everything about it that is the same for all fences.
struct Observation: Sendable {
    let rules: TransitionRules
    let fix: FilteredFix
    let point: SurfacePoint
    let moment: Moment
    /// Metres per second over ground, measured or from displacement; nil: not known.
    let speed: Double?
    /// The accepted fix before.
    let previous: FilteredFix?
    /// Seconds and metres since then.
    let gapSeconds: Double
    let movedMeters: Double
    /// Whether the two follow each other without an outage.
    let isClose: Bool
    /// The first fix of a process that was started again on the way.
    let isResumed: Bool
    /// Set on the first good fix after an outage.
    let outage: Outage?
    /// Set while the device stands still.
    let stop: Stop?
    /// Whether it stood still at the fix before, too.
    let wasStopped: Bool
    /// Metres since the tracker began.
    let travelledMeters: Double
    /// Good fixes in motion before this one, and outages that ended elsewhere.
    let motions: Int
    let breaks: Int

    var now: Uptime { fix.fix.uptime }
    var accuracyMeters: Double { fix.accuracyMeters }

    /// A time without fixes that has just ended.
    struct Outage: Sendable {
        let gapSeconds: Double
        let movedMeters: Double
        /// Hardly moved, and not for longer than a visit can bridge.
        let isSamePlace: Bool
        /// Moved no farther than a ramp is long.
        let isNearby: Bool
    }

    /// What the state of rest says.
    struct Stop: Sendable {
        let seconds: Double
        /// The mean position, once it decides.
        let settled: Settled?
    }

    struct Settled: Sendable {
        let point: SurfacePoint
        let accuracyMeters: Double
        /// What departures are decided by; nil: by the same mean.
        let departure: Departure?
        let isLatched: Bool
        let count: Int

        struct Departure: Sendable {
            let point: SurfacePoint
            let accuracyMeters: Double
        }
    }

    /// A fix against a boundary: metres inside, and the radius that the rows compare them with.
    struct Reading: Sendable {
        let signedDistanceMeters: Double
        let accuracyMeters: Double

        var isInside: Bool { signedDistanceMeters > 0 }
        var isDecisive: Bool { abs(signedDistanceMeters) >= accuracyMeters }
        /// Whether it shows the device inside, for dwell.
        var isShownInside: Bool { signedDistanceMeters > -accuracyMeters }
    }

    /// The fix itself against a fence.
    func reading(of shape: PreparedShape) -> Reading {
        Reading(
            signedDistanceMeters: shape.signedDistance(to: point), accuracyMeters: accuracyMeters)
    }

    /// The mean of a settled stop, else the fix itself.
    func steadyReading(of shape: PreparedShape, _ raw: Reading) -> Reading {
        guard let settled = stop?.settled else { return raw }
        return Reading(
            signedDistanceMeters: shape.signedDistance(to: settled.point),
            accuracyMeters: settled.accuracyMeters)
    }

    /// The mean for departures of a settled stop; `steady`: that for arrivals, where it is known.
    func departureReading(
        of shape: PreparedShape, _ settled: Settled, steady: Reading?
    ) -> Reading {
        if settled.departure == nil, let steady { return steady }
        return Reading(
            signedDistanceMeters: shape.signedDistance(
                to: settled.departure?.point ?? settled.point),
            accuracyMeters: settled.departure?.accuracyMeters ?? settled.accuracyMeters)
    }
}
