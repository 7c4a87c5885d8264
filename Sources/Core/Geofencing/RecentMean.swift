import Snapshots
import Timekeeping

/// Sums of the fixes of the last minute, in buckets of one second.
///
/// Memory and time per fix do not depend on how many fixes a second a receiver gives.
struct RecentMean: Hashable, Sendable {
    private var buckets: [Bucket]
    private var newest: Int64?
    private(set) var total = Bucket()

    struct Bucket: Hashable, Sendable {
        var north = 0.0
        var east = 0.0
        var accuracy = 0.0
        /// Seconds between close fixes.
        var elapsed = 0.0
        var count = 0

        mutating func add(_ other: Bucket) {
            north += other.north
            east += other.east
            accuracy += other.accuracy
            elapsed += other.elapsed
            count += other.count
        }
    }

    /// A window of `seconds` seconds, 1 ... 3,600, a fix that old included.
    init(seconds: Double) {
        let size = Int(max(1, min(seconds, 3600))) + 1
        buckets = [Bucket](repeating: Bucket(), count: size)
    }

    mutating func add(_ sample: Bucket, at uptime: Uptime) {
        let second = uptime.milliseconds / 1000
        forget(before: second)
        buckets[slot(second)].add(sample)
        total.add(sample)
    }

    /// Of a second: more is damage, and all seconds of a window are far from an overflow with it.
    private static let countLimit = 1_000_000
    /// Seconds of uptime, either way: those of the longest `Uptime` that a snapshot may hold.
    private static let secondLimit: Int64 = 1_000_000_000_000

    private mutating func forget(before second: Int64) {
        defer { newest = max(second, newest ?? second) }
        guard let newest, second > newest else { return }
        let steps = min(second - newest, Int64(buckets.count))
        for step in 1...steps {
            buckets[slot(newest + step)] = Bucket()
        }
        total = Bucket()
        for bucket in buckets where bucket.count > 0 { total.add(bucket) }
    }

    private func slot(_ second: Int64) -> Int {
        let size = Int64(buckets.count)
        let rest = second % size
        return Int(rest < 0 ? rest + size : rest)
    }
}

/// The seconds of which there is something.
extension RecentMean: Snapshotted {
    func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(buckets.count)
        snapshot.write(newest)
        snapshot.write(total)
        snapshot.write(buckets.count { $0.count > 0 })
        for (slot, bucket) in buckets.enumerated() where bucket.count > 0 {
            snapshot.write(slot)
            snapshot.write(bucket)
        }
    }

    init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        let size = try snapshot.read(Int.self)
        guard (2...3601).contains(size) else { throw .impossible("a window") }
        buckets = [Bucket](repeating: Bucket(), count: size)
        newest = try snapshot.read()
        guard (newest ?? 0).magnitude <= Self.secondLimit else { throw .impossible("a second") }
        total = try snapshot.read()
        let filled = try snapshot.read(Int.self)
        guard (0...size).contains(filled) else { throw .impossible("a window") }
        for _ in 0..<filled {
            let slot = try snapshot.read(Int.self)
            guard buckets.indices.contains(slot) else { throw .impossible("a second") }
            buckets[slot] = try snapshot.read()
            guard buckets[slot].count <= Self.countLimit else { throw .impossible("a count") }
        }
        // Not added up anew: the sums would be others in their last bit.
        guard total.count == buckets.reduce(0, { $0 + $1.count }) else {
            throw .impossible("a sum")
        }
    }
}

extension RecentMean.Bucket: Snapshotted {
    func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(north)
        snapshot.write(east)
        snapshot.write(accuracy)
        snapshot.write(elapsed)
        snapshot.write(count)
    }

    init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init(
            north: try snapshot.read(), east: try snapshot.read(),
            accuracy: try snapshot.read(), elapsed: try snapshot.read(),
            count: try snapshot.readTally())
    }
}
