import Geodesy
import Snapshots

/// Notices a receiver that repeats one position to the last digit while it claims to move.
struct FrozenPosition: Hashable, Sendable {
    private var coordinate: Coordinate?
    private var repeats = 0

    /// Takes in an epoch and says whether the position is frozen: the same for that many epochs
    /// above that speed, metres per second.
    mutating func isFrozen(_ fix: Fix, epochs: Int, minSpeed: Double) -> Bool {
        guard let position = fix.coordinate, let speed = fix.speed, speed > minSpeed else {
            self = FrozenPosition()
            return false
        }
        repeats = position == coordinate ? repeats &+ 1 : 1
        coordinate = position
        return repeats >= epochs
    }
}

extension FrozenPosition: Snapshotted {
    func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(coordinate)
        snapshot.write(repeats)
    }

    init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        coordinate = try snapshot.read()
        repeats = try snapshot.readTally()
    }
}
