import GeofenceAgent
import Synchronization

/// Two slots that outlive the control loop which writes them, as files in memory do.
final class MemorySnapshots: SnapshotStore {
    private struct Kept {
        var slots: [[UInt8]?] = [nil, nil]
        var isFull = false
        var writes = 0
    }

    private let kept = Mutex(Kept())

    func write(_ bytes: [UInt8], to slot: Int) throws(SnapshotStoreError) {
        let isFull = kept.withLock { kept in
            guard !kept.isFull else { return true }
            kept.slots[slot] = bytes
            kept.writes += 1
            return false
        }
        if isFull { throw SnapshotStoreError("no space left") }
    }

    func read(_ slot: Int) -> [UInt8]? { kept.withLock { $0.slots[slot] } }

    var writes: Int { kept.withLock { $0.writes } }

    func setFull(_ isFull: Bool) { kept.withLock { $0.isFull = isFull } }

    /// Does something to both slots.
    func change(_ body: (inout [UInt8]?) -> Void) {
        kept.withLock { kept in
            for index in kept.slots.indices { body(&kept.slots[index]) }
        }
    }

    var slots: [[UInt8]?] { kept.withLock { $0.slots } }

    func replace(_ slots: [[UInt8]?]) { kept.withLock { $0.slots = slots } }
}
