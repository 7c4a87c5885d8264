import Positioning
import Snapshots
import Timekeeping

extension Moment: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(uptime)
        snapshot.write(utc)
    }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init(uptime: try snapshot.read(), utc: try snapshot.read())
    }
}

extension Presence: Snapshotted {}

extension FixRun: Snapshotted {
    func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(count)
        snapshot.write(since)
    }

    init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init(count: try snapshot.readTally(), since: try snapshot.read())
    }
}

extension InsideRun: Snapshotted {
    func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(all)
        snapshot.write(fast)
        snapshot.write(distanceSum)
        snapshot.write(accuracySum)
        snapshot.write(isDrivingThrough)
        snapshot.write(entry)
        snapshot.write(first)
        snapshot.write(travelledMeters)
    }

    init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init(
            all: try snapshot.read(), fast: try snapshot.read(),
            distanceSum: try snapshot.read(), accuracySum: try snapshot.read(),
            isDrivingThrough: try snapshot.read(), entry: try snapshot.read(),
            first: try snapshot.read(), travelledMeters: try snapshot.read())
    }
}

extension Visit: Snapshotted {
    func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(entered)
        snapshot.write(clockStart)
        snapshot.write(isClockStopped)
        snapshot.write(hasDwelled)
        snapshot.write(lastEvidence)
        snapshot.write(isShown)
        snapshot.write(isDecisive)
        snapshot.write(longestGapSeconds)
        snapshot.write(isSuspect)
    }

    init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        entered = try snapshot.read()
        clockStart = try snapshot.read()
        isClockStopped = try snapshot.read()
        hasDwelled = try snapshot.read()
        lastEvidence = try snapshot.read()
        isShown = try snapshot.read()
        isDecisive = try snapshot.read()
        longestGapSeconds = try snapshot.read()
        isSuspect = try snapshot.read()
    }
}

extension Crossing: Snapshotted {
    func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(isInward)
        snapshot.write(moment)
        snapshot.write(uncertaintySeconds)
    }

    init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init(
            isInward: try snapshot.read(), moment: try snapshot.read(),
            uncertaintySeconds: try snapshot.read())
    }
}

extension FenceState: Snapshotted {
    func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(presence)
        snapshot.write(awaitsJudgement)
        snapshot.write(seedRun)
        snapshot.write(insideRun)
        snapshot.write(exitRun)
        snapshot.write(visit)
        snapshot.write(isOnInside)
        snapshot.write(signedDistanceMeters)
        snapshot.write(travelledMeters)
        snapshot.write(crossings)
        snapshot.write(motions)
        snapshot.write(breaks)
        snapshot.write(lastBoundary)
        snapshot.write(since)
    }

    init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init()
        presence = try snapshot.read()
        awaitsJudgement = try snapshot.read()
        seedRun = try snapshot.read()
        insideRun = try snapshot.read()
        exitRun = try snapshot.read()
        visit = try snapshot.read()
        isOnInside = try snapshot.read()
        signedDistanceMeters = try snapshot.read()
        travelledMeters = try snapshot.read()
        crossings = try snapshot.read()
        motions = try snapshot.readTally()
        breaks = try snapshot.readTally()
        lastBoundary = try snapshot.read()
        since = try snapshot.read()
        guard (presence == .inside) == (visit != nil) else { throw .impossible("a presence") }
        guard seedRun.magnitude < 1_000 else { throw .impossible("a run of fixes") }
    }
}
