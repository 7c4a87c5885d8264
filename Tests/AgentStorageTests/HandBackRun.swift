import Delivery
import TestSupport

@testable import AgentStorage

/// A queue in memory to which much happens while the disk takes it back again and again, each time with
/// an error after the COMMIT: what the disk counts in the end is compared with what has happened.
final class HandBackRun {
    private let directory: TemporaryDirectory
    private let opening: QueueOpening
    private var disk: QueueStore?
    private let fallback: MemoryFallback
    private var generator: SeededGenerator
    private var wanted = Counters()
    private var isReplaced = false
    private(set) var difference: String?

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        directory = try TemporaryDirectory()
        opening = QueueOpening(
            files: QueueFiles(directory: directory.path), deviceID: "van-7", hardwareID: nil,
            limits: StorageLimits())
        let disk = try opening.open()
        try disk.commit(try disk.prepare(SampleEvents.drafts(20)), state: .none)
        wanted.enqueued = 20
        fallback = try MemoryFallback(
            try opening.openInMemory(), from: disk.rows, epoch: disk.epoch,
            lastSequence: disk.lastSequence)
        self.disk = disk
    }

    func go() throws {
        for _ in 0..<40 { try step() }
        try handBack()
    }

    private func step() throws {
        switch generator.next() % 8 {
        case 0, 1: try commit()
        case 2: try settle(as: .acknowledged, counted: \.acknowledged)
        case 3: try settle(as: .dead(code: "no"), counted: \.dead)
        case 4: try evict()
        case 5: try handBack()
        case 6: try makeRoom()
        default: try replaceOnce()
        }
    }

    private func commit() throws {
        let count = 1 + Int(generator.next() % 5)
        let memory = fallback.store
        try memory.commit(try memory.prepare(SampleEvents.drafts(count)), state: .none)
        wanted.enqueued += Int64(count)
    }

    private func settle(
        as fate: Settlement.Fate, counted: WritableKeyPath<Counters, Int64>
    ) throws {
        let memory = fallback.store
        let some = try memory.pending(everything).filter { _ in generator.next() % 4 == 0 }
        try memory.settle(some.map { Settlement($0, fate) })
        wanted[keyPath: counted] += Int64(some.count)
    }

    private func evict() throws {
        let memory = fallback.store
        let evictions = try memory.evictions(freeing: 0, atLeast: 1, ownOnly: true)
        try memory.commit(try memory.prepare([]), state: .none, evicting: evictions)
        wanted.evicted += Int64(evictions.reduce(0) { $0 + $1.keys.count })
    }

    private func handBack() throws {
        guard let disk else { return }
        try fallback.handBack(to: disk)
        let counters = disk.counters
        wanted.pending =
            wanted.enqueued - wanted.acknowledged - wanted.dead - wanted.evicted
        (wanted.keptAcknowledged, wanted.deadBytes) =
            (counters.keptAcknowledged, counters.deadBytes)
        if counters != wanted { difference = "\(counters), not \(wanted)" }
        let counted = try disk.rows.recount()
        if counted != counters { difference = "\(counters), rows \(counted)" }
    }

    /// On the disk, and the bound of dead letters in memory.
    private func makeRoom() throws {
        if generator.next() % 2 == 0 { _ = try disk?.deleteAcknowledged(atMost: 3) }
        if generator.next() % 2 == 0 { _ = try disk?.deleteDead(freeing: 500) }
        fallback.store.deadLetterLimit = Int64(1000 + generator.next() % 4000)
    }

    private func replaceOnce() throws {
        guard !isReplaced, generator.next() % 4 == 0 else { return }
        isReplaced = true
        // Events of memory's that are lost with the file: they are in memory still, or settled there.
        if generator.next() % 2 == 0 {
            try disk?.connection.run(
                "UPDATE events SET payload = x'00' WHERE status = 0 AND epoch = ? AND key % 2 = 0",
                fallback.store.epoch)
        }
        disk = nil
        _ = try QueueReplacement(opening: opening, label: "x").run { _ in
            SampleEvents.draft(.stateReset, fence: nil)
        }
        wanted.enqueued += 1
        disk = try opening.open()
    }
}
