import Geodesy
import Timekeeping

/// Speed from displacement, for receivers that give none.
struct SpeedEstimate: Hashable, Sendable {
    private var samples: [Sample] = []

    private struct Sample: Hashable {
        var coordinate: Coordinate
        var uptime: Uptime
    }

    /// Samples are this far apart, so that a few of them span two seconds at any rate.
    private static let spacingSeconds = 0.4
    private static let capacity = 8

    /// Metres per second over at least `spanSeconds`; nil while there is no fix that old.
    func speed(to coordinate: Coordinate, at now: Uptime, spanSeconds: Double) -> Double? {
        guard
            let earlier = samples.last(where: { now.seconds(since: $0.uptime) >= spanSeconds })
        else { return nil }
        return earlier.coordinate.distance(to: coordinate) / now.seconds(since: earlier.uptime)
    }

    mutating func add(_ coordinate: Coordinate, at uptime: Uptime) {
        if let last = samples.last, uptime.seconds(since: last.uptime) < Self.spacingSeconds {
            return
        }
        if samples.count == Self.capacity { samples.removeFirst() }
        samples.append(Sample(coordinate: coordinate, uptime: uptime))
    }

    mutating func removeAll() {
        samples.removeAll(keepingCapacity: true)
    }
}
