import Geofencing
import Positioning
import Snapshots

/// Everything that the pipeline knows after a fix, but rules and fences: with it a process that
/// follows a killed one decides as the killed one would have.
///
/// It is as large as what is monitored: some 5 KB for 18 fences, 10 KB while fixes are held.
public struct PipelineSnapshot: Sendable {
    /// Changes with everything that is written, wherever it is.
    static let format: UInt8 = 1

    var filter: FixFilter
    var tracker: FenceTracker
    var budget: RegionBudget
    var home: HomeWatch
    var lastTrusted: Moment?
    /// Nil where the whole fence set is known.
    var coverage: CoverageMemory?
}

extension PipelineSnapshot: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(byte: Self.format)
        snapshot.write(filter)
        snapshot.write(tracker)
        snapshot.write(budget)
        snapshot.write(home)
        snapshot.write(lastTrusted)
        snapshot.write(coverage)
    }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        let format = try snapshot.readByte()
        guard format == Self.format else { throw .impossible("format \(format)") }
        filter = try snapshot.read()
        tracker = try snapshot.read()
        budget = try snapshot.read()
        home = try snapshot.read()
        lastTrusted = try snapshot.read()
        coverage = try snapshot.read()
    }

    /// Throws for bytes that are not one snapshot of this form.
    init(bytes: [UInt8]) throws(SnapshotError) {
        var reader = SnapshotReader(bytes)
        try self.init(from: &reader)
        try reader.finish()
    }
}
