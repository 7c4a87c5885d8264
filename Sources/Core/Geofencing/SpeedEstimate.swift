import Geodesy
import Positioning
import Snapshots
import Timekeeping

/// Speed from displacement, for receivers that give none.
struct SpeedEstimate: Hashable, Sendable {
    /// A ring; `newest` is the index of the last one.
    private var samples: [Sample] = []
    private var newest = 0
    private var newestUptime: Uptime?

    fileprivate struct Sample: Hashable {
        var coordinate: Coordinate
        var uptime: Uptime
    }

    /// Samples are this far apart, so that a few of them span two seconds at any rate.
    private static let spacingSeconds = 0.4
    private static let capacity = 8

    /// Metres per second over at least `spanSeconds`; nil while there is no fix that old.
    func speed(to coordinate: Coordinate, at now: Uptime, spanSeconds: Double) -> Double? {
        for age in samples.indices {
            let earlier = samples[(newest + samples.count - age) % samples.count]
            let seconds = now.seconds(since: earlier.uptime)
            if seconds >= spanSeconds {
                return earlier.coordinate.distance(to: coordinate) / seconds
            }
        }
        return nil
    }

    mutating func add(_ coordinate: Coordinate, at uptime: Uptime) {
        if let newestUptime, uptime.seconds(since: newestUptime) < Self.spacingSeconds { return }
        newestUptime = uptime
        let sample = Sample(coordinate: coordinate, uptime: uptime)
        if samples.count < Self.capacity {
            newest = samples.count
            samples.append(sample)
        } else {
            newest = (newest + 1) % Self.capacity
            samples[newest] = sample
        }
    }

    mutating func removeAll() {
        samples.removeAll(keepingCapacity: true)
        newestUptime = nil
    }
}

extension SpeedEstimate: Snapshotted {
    func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(samples)
        snapshot.write(newest)
        snapshot.write(newestUptime)
    }

    init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        samples = try snapshot.read()
        newest = try snapshot.read()
        newestUptime = try snapshot.read()
        guard samples.count <= Self.capacity, newest == 0 || samples.indices.contains(newest) else {
            throw .impossible("a ring")
        }
    }
}

extension SpeedEstimate.Sample: Snapshotted {
    func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(coordinate)
        snapshot.write(uptime)
    }

    init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init(coordinate: try snapshot.read(), uptime: try snapshot.read())
    }
}
