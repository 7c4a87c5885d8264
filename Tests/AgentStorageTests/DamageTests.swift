import Delivery
import Foundation
import SQLite
import TestSupport
import Testing
import WireFormat

@testable import AgentStorage

@Suite("A damaged queue")
struct DamageTests {
    enum Damage: String, CaseIterable, CustomTestStringConvertible {
        case noise, truncatedToHalf, emptied, zeroedHeader, zeroedFront, zeroedMiddle
        case flippedPayload
        case flippedCounter, flippedEpoch, renamedEpoch, zeroedEpoch, foreignTable

        var testDescription: String { rawValue }
    }

    let directory: TemporaryDirectory
    let log = LogCollector()

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A stopped queue with 120 events, the first ten acknowledged.
    private func makeStopped(clean: Bool) throws -> [Event] {
        let queue = try openQueue(in: directory)
        let events = try queue.commit(
            SampleEvents.drafts(120),
            state: StateUpdate(values: [.pipeline: [1], .localFences: [2, 3]]))
        try queue.settle((1...10).map { Settlement(key: $0, fate: .acknowledged) })
        queue.close()
        if !clean {
            let raw = try Connection(path: directory.file("state/queue.db"))
            try raw.run("UPDATE meta SET value = '0' WHERE name = 'clean'")
            try raw.checkpoint(.truncate)
        }
        return events
    }

    private var databasePath: String { directory.file("state/queue.db") }

    /// As it lies in the file.
    private func lastPayload() throws -> [UInt8] {
        let raw = try Connection(path: databasePath, mode: .readOnly)
        return try #require(
            try raw.first("SELECT payload FROM events ORDER BY key DESC LIMIT 1") { $0.blob(0) })
    }

    private static func json(_ payload: [UInt8]) -> [UInt8]? {
        EventPayload.json(
            payload, kind: .enter, clientEventID: "-",
            position: QueuePosition(epoch: "-", sequence: 1))
    }

    private func apply(_ damage: Damage) throws {
        var bytes = try #require(SharedFolder.readFile(databasePath))
        var generator = SeededGenerator(seed: 11)
        switch damage {
        case .noise: bytes = bytes.map { _ in UInt8.random(in: 0...255, using: &generator) }
        case .truncatedToHalf: bytes = Array(bytes.prefix(bytes.count / 2))
        case .emptied: bytes = []
        case .zeroedHeader: for index in 0..<100 { bytes[index] = 0 }
        case .zeroedFront: for index in 0..<1024 { bytes[index] = 0 }
        case .zeroedMiddle:
            let middle = bytes.count / 2048 * 1024
            for index in middle..<(middle + 1024) { bytes[index] = 0 }
        case .flippedPayload:
            let stored = try lastPayload()
            // Still an event, no longer the one that happened.
            let changed = try #require(
                stored.indices.lazy.map { index in
                    var other = stored
                    other[index] ^= 1
                    return other
                }.first { other in
                    let json = Self.json(other) ?? []
                    return (try? WireCoding.decode(WireEvent.self, from: json)) != nil
                })
            let place = try #require(
                bytes.indices.last { bytes[$0...].starts(with: stored) })
            bytes.replaceSubrange(place..<place + stored.count, with: changed)
        case .zeroedEpoch:
            let raw = try Connection(path: databasePath, mode: .readOnly)
            let page = try #require(
                try raw.first("SELECT rootpage FROM sqlite_schema WHERE name = 'meta'") {
                    $0.int(0)
                })
            for index in (page - 1) * 1024..<page * 1024 { bytes[index] = 0 }
        case .flippedCounter, .flippedEpoch, .renamedEpoch, .foreignTable:
            let raw = try Connection(path: databasePath)
            let changes: [Damage: String] = [
                .flippedCounter: "UPDATE counters SET pending = 109",
                .flippedEpoch: """
                UPDATE meta SET value = CASE substr(value, 1, 1) WHEN '0' THEN '1' ELSE '0' END
                    || substr(value, 2) WHERE name = 'epoch'
                """,
                .renamedEpoch: "UPDATE meta SET name = 'epocj' WHERE name = 'epoch'",
                .foreignTable: "ALTER TABLE counters RENAME TO other",
            ]
            try raw.run(try #require(changes[damage]))
            try raw.checkpoint(.truncate)
            return
        }
        try Data(bytes).write(to: URL(fileURLWithPath: databasePath))
    }

    @Test("is set aside and salvaged, tells of it, and goes on", arguments: Damage.allCases)
    func recovery(damage: Damage) throws {
        let events = try makeStopped(clean: damage == .flippedPayload)
        try apply(damage)
        let queue = try openQueue(in: directory, log: log)
        // A flipped payload shows when the event is read.
        let pending = try queue.pending(everything)
        #expect(queue.health == .durable)
        #expect(queue.counts.isBalanced)
        #expect(try queue.verify())
        let known = Set(events.dropFirst(10).map(\.clientEventID))
        let saved = pending.filter { known.contains($0.clientEventID) }
        for row in saved {
            let event = try #require(
                events.first { $0.clientEventID == row.clientEventID })
            #expect(row.position == event.position)
            let sent = try WireCoding.encode(WireEvent(event))
            #expect(row.payload == sent)
        }
        #expect(saved.map(\.position.sequence) == saved.map(\.position.sequence).sorted())
        let others = pending.filter { !known.contains($0.clientEventID) }
        #expect(others.map(\.kind) == [.stateReset])
        #expect(queue.epoch != events[0].position.epoch)
        #expect(try queue.state(.pipeline) == nil)
        let expected: ClosedRange<Int> =
            switch damage {
            case .noise, .emptied: 0...0
            case .truncatedToHalf, .zeroedMiddle: 1...109
            case .flippedPayload: 109...109
            case .flippedCounter, .flippedEpoch, .renamedEpoch, .zeroedEpoch, .foreignTable,
                .zeroedHeader, .zeroedFront:
                110...110
            }
        #expect(expected.contains(saved.count), "\(saved.count) saved")
        if damage == .flippedPayload {
            let reset = try #require(others.first)
            let wire = try WireCoding.decode(WireEvent.self, from: reset.payload)
            #expect(wire.evicted?.count == 1)
            #expect(queue.counts.evicted == 1)
            #expect(queue.counts.acknowledged == 10)
            #expect(try queue.state(.localFences) == [2, 3])
        }
        let next = try queue.commit(SampleEvents.drafts(1), state: .none)
        #expect(next[0].position.epoch == queue.epoch)
        queue.close()
        let again = try openQueue(in: directory, log: log)
        #expect(again.counts.pending == Int64(pending.count + 1))
        let aside = try FileManager.default.contentsOfDirectory(
            atPath: directory.file("state"))
        #expect(aside.contains("quarantine"))
    }

    @Test(
        "is told to those who look at the queue, and hides no event behind it",
        arguments: [
            "payload = CAST(payload || x'00' AS BLOB)", "payload = x''", "event_id = zeroblob(16)",
            "event_id = x'00'", "digest = x'00'", "kind = 'exit'", "kind = 'none'",
        ])
    func shown(change: String) throws {
        let events = try makeStopped(clean: true)
        do {
            let raw = try Connection(path: databasePath)
            try raw.run("UPDATE events SET status = 2, code = 'no' WHERE key = 50")
            try raw.run("UPDATE events SET \(change) WHERE key BETWEEN 50 AND 53")
        }
        let reader = try SQLiteQueueReader(directory: directory.file("state"))
        let all = try reader.events(after: .min, limit: 1000)
        #expect(all.map(\.key) == events.map(\.position.sequence))
        #expect(all.filter(\.payload.isEmpty).map(\.key) == [50, 51, 52, 53])
        #expect(try reader.events(after: nil, limit: 1000) == all)
        #expect(try reader.deadLetters(limit: 9).map(\.payload) == [[]])
        var pending: [QueuedEvent] = []
        try reader.forEachPending {
            pending.append($0)
            return true
        }
        #expect(pending == all.filter { $0.status == .pending })
    }

    @Test("any flipped byte costs no event silently and never stops the queue", arguments: 0..<12)
    func flippedByte(seed: Int) throws {
        let events = try makeStopped(clean: seed % 2 == 0)
        var generator = SeededGenerator(seed: UInt64(seed))
        var bytes = try #require(SharedFolder.readFile(databasePath))
        let places = (0..<3).map { _ in Int.random(in: 0..<bytes.count, using: &generator) }
        for place in places { bytes[place] ^= UInt8.random(in: 1...255, using: &generator) }
        try Data(bytes).write(to: URL(fileURLWithPath: databasePath))
        let queue: SQLiteEventQueue
        do {
            queue = try openQueue(in: directory, log: log)
        } catch let error as QueueError {
            // The version itself was hit: such a file is for a newer program, and left alone.
            guard case .newerVersion = error else { throw error }
            return
        }
        let pending = try queue.pending(everything)
        #expect(queue.counts.isBalanced, "seed \(seed), bytes \(places)")
        let known = Dictionary(
            uniqueKeysWithValues: events.map { ($0.clientEventID, WireEvent($0)) })
        let kept = Set(pending.map(\.clientEventID)).intersection(known.keys).count
        let resets = pending.filter { $0.kind == .stateReset }
        let isUncounted = log.messages.contains { $0.hasSuffix("unknown lost") }
        if isUncounted {
            #expect(resets.count == 1 && queue.counts.evicted == 0, "seed \(seed)")
        } else {
            #expect(kept + Int(queue.counts.evicted) == 110, "seed \(seed), bytes \(places)")
            let told = try resets.map {
                try WireCoding.decode(WireEvent.self, from: $0.payload).evicted?.count ?? 0
            }
            #expect(told.reduce(0, +) == queue.counts.evicted)
            #expect(resets.count <= 1 && (kept == 110 || resets.count == 1))
        }
        #expect(pending.count == kept + resets.count)
        #expect(Int(queue.counts.pending) == pending.count)
        _ = try queue.commit(SampleEvents.drafts(2), state: .none)
        for row in pending {
            guard let event = known[row.clientEventID] else { continue }
            let sent = try WireCoding.encode(event)
            #expect(row.payload == sent, "seed \(seed)")
        }
    }

    @Test(
        "that was closed in an orderly way is checked where what it counts or numbers is not what it was",
        arguments: [
            "UPDATE counters SET pending = 109, acknowledged = 11",
            "UPDATE counters SET dead_bytes = 7", "DELETE FROM counters",
            "UPDATE sqlite_sequence SET seq = 3",
            "UPDATE meta SET value = '1' WHERE name = 'clean'",
        ])
    func cleanButWrong(change: String) throws {
        let events = try makeStopped(clean: true)
        let raw = try Connection(path: databasePath)
        try raw.run(change)
        try raw.checkpoint(.truncate)
        let queue = try openQueue(in: directory, log: log)
        #expect(try queue.verify())
        let next = try queue.commit(SampleEvents.drafts(1), state: .none)
        #expect(!events.map(\.clientEventID).contains(next[0].clientEventID))
        let saved = try queue.pending(everything).map(\.clientEventID)
        #expect(Set(saved).isSuperset(of: events.dropFirst(10).map(\.clientEventID)))
        let isOnlyUnmarked = change.contains("clean")
        #expect((queue.epoch == events[0].position.epoch) == isOnlyUnmarked)
    }

    @Test("a repaired copy leaves nothing behind")
    func noTrace() throws {
        _ = try makeStopped(clean: true)
        try apply(.zeroedFront)
        try openQueue(in: directory, log: log).close()
        let names = try FileManager.default.contentsOfDirectory(
            atPath: directory.file("state/quarantine"))
        #expect(names.allSatisfy { $0.hasSuffix("-queue.db") }, "\(names)")
    }

    @Test("is kept twice at most")
    func quarantineBound() throws {
        for round in 0..<4 {
            try openQueue(in: directory).close()
            try apply(.noise)
            let queue = try openQueue(in: directory, log: log)
            #expect(queue.health == .durable, "round \(round)")
            queue.close()
        }
        let names = try FileManager.default.contentsOfDirectory(
            atPath: directory.file("state/quarantine"))
        #expect(names.filter { $0.hasSuffix("queue.db") }.count == 2)
    }

    @Test(
        "does not send an event that is asked for by its key, either, where its row has changed",
        arguments: [
            "payload = (SELECT payload FROM events WHERE key = 1)", "digest = randomblob(8)",
            "event_id = (SELECT event_id FROM events WHERE key = 1)",
            "event_id = CAST(x'00' || substr(event_id, 2) AS BLOB)", "epoch = '0123'",
            "sequence = 1",
            "kind = 'exit'",
        ])
    func changedAndAsked(change: String) throws {
        let queue = try openQueue(in: directory, log: log)
        let events = try queue.commit(SampleEvents.drafts(3), state: .none)
        let epoch = queue.epoch
        let raw = try Connection(path: databasePath, mode: .readWrite)
        try raw.run("UPDATE events SET \(change) WHERE key = 2")
        let sent = try queue.pending(.keys([1, 2, 3]))
        #expect(!sent.contains { $0.clientEventID == events[1].clientEventID })
        #expect(queue.epoch != epoch, "the file was replaced")
        #expect(queue.counts.evicted == 1 && queue.counts.isBalanced)
        let left = try queue.pending(everything)
        let places = Dictionary(
            uniqueKeysWithValues: events.map { ($0.clientEventID, $0.position) })
        #expect(left.filter { places[$0.clientEventID] == $0.position }.count == 2)
        #expect(left.count == 3)
    }
}
