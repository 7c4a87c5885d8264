import Geodesy
import Positioning
import Snapshots

extension CoverageState: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(anchor)
        snapshot.write(coverageRadiusMeters)
        snapshot.write(refreshAfterMeters)
        snapshot.write(refreshAfterSeconds)
        snapshot.write(pool)
        snapshot.write(isLost)
    }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init()
        anchor = try snapshot.read()
        coverageRadiusMeters = try snapshot.read()
        refreshAfterMeters = try snapshot.read()
        refreshAfterSeconds = try snapshot.read()
        pool = try snapshot.read()
        isLost = try snapshot.read()
        guard (1...CoverageRules.pools.upperBound).contains(pool) else {
            throw .impossible("a pool")
        }
    }
}

extension CoverageState.Anchor: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(position)
        snapshot.write(errorMeters)
    }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init(position: try snapshot.read(), errorMeters: try snapshot.read())
    }
}

extension CoverageFix: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(position)
        snapshot.write(accuracyMeters)
        snapshot.write(speed)
    }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init(
            position: try snapshot.read(), accuracyMeters: try snapshot.read(),
            speed: try snapshot.read())
    }
}
