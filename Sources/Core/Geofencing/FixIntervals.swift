import Positioning
import Snapshots
import Timekeeping

/// The usual time between fixes: the median of the last five, so that one outage does not count.
struct FixIntervals: Hashable, Sendable {
    private static let count = 5
    /// Seconds; longer ones count as this.
    private static let longest = 120.0

    private var last: Uptime?
    private var intervals: [Double] = []

    mutating func append(_ time: Uptime) {
        if let last, time > last {
            intervals.append(min(Self.longest, time.seconds(since: last)))
            if intervals.count > Self.count { intervals.removeFirst() }
        }
        last = time
    }

    /// 1 s until two fixes are known.
    var periodSeconds: Double {
        intervals.isEmpty ? 1 : intervals.sorted()[intervals.count / 2]
    }
}

extension FixIntervals: Snapshotted {
    func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(last)
        snapshot.write(intervals)
    }

    init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        last = try snapshot.read()
        intervals = try snapshot.read()
        guard intervals.count <= Self.count else { throw .impossible("a number of intervals") }
    }
}
