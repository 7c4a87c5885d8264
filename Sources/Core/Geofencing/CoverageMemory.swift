import Positioning
import Snapshots
import Timekeeping

/// What the coverage guard leaves to the next process of the same boot: beyond its state what it saw
/// of late.
public struct CoverageMemory: Hashable, Sendable {
    var state: CoverageState
    var fix: CoverageFix?
    var clock: FixIntervals
    var peakSpeed: Double
    var fewest: Fewest?

    struct Fewest: Hashable, Sendable {
        var pool: Int
        var until: Uptime
    }
}

extension CoverageMemory: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(state)
        snapshot.write(fix)
        snapshot.write(clock)
        snapshot.write(peakSpeed)
        snapshot.write(fewest)
    }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init(
            state: try snapshot.read(), fix: try snapshot.read(), clock: try snapshot.read(),
            peakSpeed: try snapshot.read(), fewest: try snapshot.read())
    }
}

extension CoverageMemory.Fewest: Snapshotted {
    func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(pool)
        snapshot.write(until)
    }

    init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init(pool: try snapshot.read(), until: try snapshot.read())
        guard (1...CoverageRules.pools.upperBound).contains(pool) else {
            throw .impossible("a pool")
        }
    }
}
