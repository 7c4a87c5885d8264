import Positioning
import Snapshots
import Timekeeping

/// A monitored fence as the process before had it; the fence itself comes with the set.
struct KeptFence: Sendable {
    let id: String
    let version: Int
    private let geometry: UInt64
    let state: FenceState
    private let isFrozen: Bool
    private let addedAt: Uptime?

    init(_ tracked: TrackedFence) {
        id = tracked.prepared.id
        version = tracked.fence.version
        geometry = tracked.prepared.fingerprint
        state = tracked.state
        isFrozen = tracked.isFrozen
        addedAt = tracked.addedAt
    }

    /// The fence goes on as it was, or its geometry changed meanwhile.
    func restore(_ tracked: inout TrackedFence) {
        tracked.state = state
        if geometry != tracked.prepared.fingerprint { tracked.state.geometryChanged() }
        tracked.isMonitored = true
        tracked.isFrozen = isFrozen
        tracked.addedAt = addedAt
    }
}

extension KeptFence: Snapshotted {
    func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(id)
        snapshot.write(version)
        snapshot.write(geometry)
        snapshot.write(state)
        snapshot.write(isFrozen)
        snapshot.write(addedAt)
    }

    init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        id = try snapshot.read()
        version = try snapshot.read()
        geometry = try snapshot.read()
        state = try snapshot.read()
        isFrozen = try snapshot.read()
        addedAt = try snapshot.read()
    }
}

/// Fences of the process before, until the set arrives that they belong to.
struct HandedOverFences: Sendable {
    private var monitored: [String: KeptFence]
    /// Others that came into the pool after the last fix but one, and when.
    let newcomers: [String: Uptime]
    private let signature: UInt64
    /// Whether the set that arrived is the one that the process before had.
    private(set) var isSameSet = false

    init(_ monitored: [KeptFence], newcomers: [String: Uptime], signature: UInt64) {
        self.monitored = Dictionary(
            monitored.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        self.newcomers = newcomers
        self.signature = signature
    }

    mutating func meet(_ signature: UInt64) { isSameSet = signature == self.signature }

    mutating func take(_ id: String) -> KeptFence? { monitored.removeValue(forKey: id) }

    /// What the set did not name.
    var rest: [KeptFence] { Array(monitored.values) }
}
