import Positioning
import Snapshots
import Timekeeping

/// Everything that a decision depends on, but the rules, the set, which is stored elsewhere, and a
/// hint, which its source gives again. What is only kept to save work is worked out anew.
extension FenceTracker: Snapshotted {
    /// Whether fences of the process before, or of an earlier boot, still wait for their set; what is
    /// written now would not have them.
    public var isIncomplete: Bool {
        isScaleForeign || !restored.isEmpty || handedOver?.rest.isEmpty == false
    }

    public func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(previous)
        snapshot.write(beforePrevious)
        snapshot.write(period)
        snapshot.write(isInterrupted)
        snapshot.write(isResuming)
        snapshot.write(isOutageOpen ? outageOrigin : nil)
        snapshot.write(isOutageOpen)
        snapshot.write(stop)
        snapshot.write(speedEstimate)
        snapshot.write(travelledMeters)
        snapshot.write(motions)
        snapshot.write(breaks)
        snapshot.write(poolSignature)
        writeFences(to: &snapshot)
    }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init()
        let last = try snapshot.read(FilteredFix?.self)
        let beforeLast = try snapshot.read(FilteredFix?.self)
        resume(after: [last, beforeLast].compactMap { $0 })
        period = try snapshot.read()
        isInterrupted = try snapshot.read()
        isResuming = try snapshot.read()
        outageOrigin = try snapshot.read()
        isOutageOpen = try snapshot.read()
        stop = try snapshot.read()
        stopSince = stop?.since
        speedEstimate = try snapshot.read()
        travelledMeters = try snapshot.read()
        motions = try snapshot.readTally()
        breaks = try snapshot.readTally()
        poolSignature = try snapshot.read()
        handedOver = try Self.readFences(from: &snapshot, signature: poolSignature)
    }

    private func writeFences(to snapshot: inout SnapshotWriter) {
        snapshot.write(fences.count(where: \.isMonitored))
        for tracked in fences where tracked.isMonitored { snapshot.write(KeptFence(tracked)) }
        let newcomers = newcomers
        snapshot.write(newcomers.count)
        for (id, addedAt) in newcomers {
            snapshot.write(id)
            snapshot.write(addedAt)
        }
    }

    private static func readFences(
        from snapshot: inout SnapshotReader, signature: UInt64
    ) throws(SnapshotError) -> HandedOverFences {
        let monitored = try snapshot.read([KeptFence].self)
        var newcomers: [String: Uptime] = [:]
        for _ in 0..<(try snapshot.readTally()) {
            let id = try snapshot.read(String.self)
            // Named, since the place in the dictionary is an optional and would be read as one.
            newcomers[id] = try snapshot.read(Uptime.self)
        }
        return HandedOverFences(monitored, newcomers: newcomers, signature: signature)
    }

    /// Fences that are not monitored and that did not exist at one of the last two fixes, as far as
    /// anybody knows: none, but for two fixes after an answer with new ones.
    private var newcomers: [(id: String, addedAt: Uptime)] {
        guard let since = (beforePrevious ?? previous)?.fix.uptime else { return [] }
        return fences.compactMap { tracked in
            guard !tracked.isMonitored, let addedAt = tracked.addedAt, addedAt > since else {
                return nil
            }
            return (tracked.fence.id, addedAt)
        }
    }

    /// The same for sets of the same ids and shapes, in any order.
    static func signature(of set: [PreparedFence]) -> UInt64 {
        set.reduce(UInt64(set.count)) { sum, fence in
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ fence.fingerprint
            for byte in fence.id.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            return sum &+ hash
        }
    }
}
