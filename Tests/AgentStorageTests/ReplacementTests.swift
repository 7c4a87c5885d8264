import Delivery
import Foundation
import SQLite
import TestSupport
import Testing
import WireFormat

@testable import AgentStorage

/// Copies of a queue's folder: what a cut of the power leaves.
private struct Image {
    let directory: TemporaryDirectory
    let step: String

    init(of state: String, at step: String) throws {
        directory = try TemporaryDirectory()
        self.step = step
        try FileManager.default.copyItem(atPath: state, toPath: directory.file("state"))
    }

    var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory.file("state"))) ?? []
    }

    var opening: QueueOpening {
        QueueOpening(
            files: QueueFiles(directory: directory.file("state")), deviceID: "van-7",
            hardwareID: "serial-1", limits: StorageLimits(ballastBytes: 0))
    }

    /// An image after each step of the replacement that is done here.
    func replace() throws -> [Image] {
        var images: [Image] = []
        var failure: (any Error)?
        let state = directory.file("state")
        var replacement = QueueReplacement(opening: opening, label: "damaged")
        replacement.observe = { step in
            do {
                images.append(try Image(of: state, at: "\(self.step) \(step)"))
            } catch {
                failure = error
            }
        }
        if try !replacement.finish() {
            _ = try replacement.run { lost in
                var draft = SampleEvents.draft(.stateReset, fence: nil)
                draft.reason = "quarantine: test"
                draft.evicted = lost.map {
                    EvictedRange(kind: .stateReset, count: $0, firstSequence: 0, lastSequence: 0)
                }
                return draft
            }
        }
        if let failure { throw failure }
        return images
    }
}

@Suite("The replacement of a damaged queue")
struct ReplacementTests {
    let log = LogCollector()

    /// The folder of a killed queue with `count` events in the file and 20 in the log, one damaged
    /// page, and the events that were pending.
    private func makeDamaged(_ count: Int) throws -> (Image, [Event]) {
        let directory = try TemporaryDirectory()
        let first = try openQueue(in: directory)
        var events = try first.commit(SampleEvents.longDrafts(count), state: .none)
        try first.settle((1...10).map { Settlement(key: $0, fate: .acknowledged) })
        first.close()
        let second = try openQueue(in: directory)
        events += try second.commit(
            SampleEvents.drafts(20), state: StateUpdate(values: [.localFences: [1, 2]]))
        let image = try Image(of: directory.file("state"), at: "-")
        second.close()
        let path = image.directory.file("state/queue.db")
        var bytes = try #require(SharedFolder.readFile(path))
        let leaves = EventLeaf.all(in: bytes)
        let middle = leaves[leaves.count / 2]
        for index in middle.place..<middle.place + 1024 { bytes[index] = 0 }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return (image, Array(events.dropFirst(10)))
    }

    /// Starts a queue on the image and answers how many of `events` it saved.
    private func start(_ image: Image, _ events: [Event]) throws -> Int {
        let wanted = Set(events.map(\.clientEventID))
        var saved = 0
        for round in 0..<2 {
            let place = Comment(rawValue: "\(image.step), start \(round)")
            let queue = try openQueue(in: image.directory, log: log)
            #expect(queue.health == .durable, place)
            #expect(try queue.verify(), place)
            let pending = try queue.pending(everything)
            saved = pending.filter { wanted.contains($0.clientEventID) }.count
            let others = pending.filter { !wanted.contains($0.clientEventID) }
            #expect(others.map(\.kind) == [.stateReset], place)
            let counts = queue.counts
            #expect(counts.enqueued == Int64(events.count + 11), place)
            #expect(counts.acknowledged == 10, place)
            #expect(counts.evicted == Int64(events.count - saved), place)
            #expect(queue.epoch != events[0].position.epoch, place)
            #expect(try queue.state(.localFences) == [1, 2], place)
            queue.close()
        }
        let known: Set = ["queue.db", "queue.lock", "queue.epoch", "quarantine"]
        #expect(known.isSuperset(of: image.names), "\(image.step): \(image.names)")
        let aside = try FileManager.default.contentsOfDirectory(
            atPath: image.directory.file("state/quarantine"))
        #expect(
            aside.filter { $0.hasSuffix("-queue.db") }.count == 1, "\(image.step): \(aside)")
        return saved
    }

    @Test("costs no event wherever the power is cut")
    func cuts() throws {
        let (origin, events) = try makeDamaged(600)
        let plain = try Image(of: origin.directory.file("state"), at: "no cut")
        let saved = try start(plain, events)
        #expect(saved < events.count && saved > events.count - 20)
        let images = try origin.replace()
        let steps = images.map(\.step)
        #expect(steps.filter { $0.contains("saved") }.count > 2)
        #expect(steps.contains { $0.contains("moved(\"-wal\")") })
        #expect(steps.contains { $0.contains("placed") })
        for image in images { #expect(try start(image, events) == saved, "\(image.step)") }
    }

    @Test("leaves nothing of a complete file that was read before it took its place")
    func readBefore() throws {
        let (origin, events) = try makeDamaged(60)
        let image = try #require(origin.replace().first { $0.step == "- named" })
        for name in ["queue.db.new-wal", "queue.db.new-shm"] {
            let path = image.directory.file("state/\(name)")
            try Data().write(to: URL(fileURLWithPath: path))
        }
        #expect(try start(image, events) > 0)
    }

    @Test("costs no event where the power is cut again in the start after that")
    func cutsTwice() throws {
        let (origin, events) = try makeDamaged(60)
        var count = 0
        for image in try origin.replace() where image.step != "- placed" {
            for second in try image.replace() {
                #expect(try start(second, events) < events.count)
                count += 1
            }
        }
        #expect(count > 30)
    }

    @Test("clears away what a killed process left of its work")
    func leftovers() throws {
        let directory = try TemporaryDirectory()
        let queue = try openQueue(in: directory)
        _ = try queue.commit(SampleEvents.drafts(3), state: .none)
        queue.close()
        try FileManager.default.createDirectory(
            atPath: directory.file("state/quarantine"), withIntermediateDirectories: false)
        let left = [
            "queue.db.salvage", "queue.db.salvage-wal", "queue.db.front", "queue.db.front-shm",
            "queue.db.new-wal", "queue.db.new-shm", "queue.db.first",
            "quarantine/2026-queue.db.front",
            "quarantine/2026-queue.db.front-wal",
            "quarantine/new.db", "quarantine/new.db-shm",
        ]
        for name in left + ["quarantine/2026-queue.db", "quarantine/notes"] {
            try Data([1]).write(to: URL(fileURLWithPath: directory.file("state/\(name)")))
        }
        #expect(try openQueue(in: directory).counts.pending == 3)
        for name in left {
            #expect(
                !FileManager.default.fileExists(atPath: directory.file("state/\(name)")), "\(name)")
        }
        let aside = try FileManager.default.contentsOfDirectory(
            atPath: directory.file("state/quarantine"))
        #expect(Set(aside) == ["2026-queue.db", "notes"])
    }

    enum Vanishing: String, CaseIterable, CustomTestStringConvertible {
        case emptied, removed, emptiedBesideItsLog, removedBesideItsLog, removedWithMark

        var testDescription: String { rawValue }
        var hasLog: Bool { self != .emptied && self != .removed }
    }

    @Test("is made for a file that has vanished, too, and told", arguments: Vanishing.allCases)
    func vanished(how: Vanishing) throws {
        let directory = try TemporaryDirectory()
        let queue = try openQueue(in: directory)
        let events = try queue.commit(SampleEvents.drafts(40), state: .none)
        if !how.hasLog { queue.close() }
        let image = try Image(of: directory.file("state"), at: how.rawValue)
        queue.close()
        func file(_ name: String) -> String { image.directory.file("state/\(name)") }
        if how == .removedWithMark {
            try FileManager.default.removeItem(atPath: file("queue.epoch"))
        }
        try FileManager.default.removeItem(atPath: file("queue.db"))
        if how == .emptied || how == .emptiedBesideItsLog {
            try Data().write(to: URL(fileURLWithPath: file("queue.db")))
        }
        let again = try openQueue(in: image.directory, log: log)
        let pending = try again.pending(everything)
        let resets = pending.filter { $0.kind == .stateReset }
        #expect(resets.count == 1)
        #expect(pending.count - 1 == (how.hasLog ? events.count : 0))
        #expect(again.epoch != events[0].position.epoch)
        #expect(try again.verify())
        let reset = try WireCoding.decode(
            WireEvent.self, from: try #require(resets.first).payload)
        if how != .removedWithMark {
            #expect(reset.reason?.contains(events[0].position.epoch) == true)
        }
        #expect(log.messages.contains { $0.contains("damaged and is replaced") })
        again.close()
        #expect(try openQueue(in: image.directory).counts.pending == Int64(pending.count))
    }

    @Test(
        "saves every event outside the damaged pages, and counts those in them",
        arguments: [[0, 20], [0, 20, -1], [0, 1, 20, 21], [20, -1], [-1], [0]])
    func damagedLeaves(_ numbers: [Int]) throws {
        let directory = try TemporaryDirectory()
        let queue = try openQueue(in: directory)
        let events = try queue.commit(SampleEvents.longDrafts(300), state: .none)
        queue.close()
        let path = directory.file("state/queue.db")
        var bytes = try #require(SharedFolder.readFile(path))
        let leaves = EventLeaf.all(in: bytes)
        #expect(leaves.count > 30 && leaves.flatMap(\.keys) == Array(1...300))
        var lost: Set<Int64> = []
        for number in numbers {
            let leaf = leaves[number < 0 ? leaves.count + number : number]
            for index in leaf.place..<leaf.place + 1024 { bytes[index] = 0 }
            lost.formUnion(leaf.keys)
        }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let again = try openQueue(in: directory, log: log)
        let pending = try again.pending(everything)
        let saved = pending.filter { $0.position.epoch == events[0].position.epoch }
        let wanted = (1...300).filter { !lost.contains($0) }
        #expect(saved.map(\.position.sequence) == wanted)
        #expect(again.counts.evicted == Int64(lost.count))
        let reset = try WireCoding.decode(
            WireEvent.self, from: try #require(pending.last).payload)
        #expect(reset.evicted?.count == Int64(lost.count))
    }
}

/// A page of the table of events that holds rows (sqlite.org/fileformat2.html section 1.6).
private struct EventLeaf {
    var place: Int
    var keys: [Int64]

    /// In the order of their keys.
    static func all(in bytes: [UInt8]) -> [EventLeaf] {
        stride(from: 1024, to: bytes.count, by: 1024).compactMap { place in
            guard bytes[place] == 0x0d else { return nil }
            let count = Int(bytes[place + 3]) << 8 | Int(bytes[place + 4])
            var keys: [Int64] = []
            for index in 0..<count {
                let pointer = place + 8 + 2 * index
                var cell = place + (Int(bytes[pointer]) << 8 | Int(bytes[pointer + 1]))
                guard number(bytes, &cell) > 150 else { return nil }
                keys.append(number(bytes, &cell))
            }
            return keys.isEmpty ? nil : EventLeaf(place: place, keys: keys)
        }.sorted { ($0.keys.first ?? 0) < ($1.keys.first ?? 0) }
    }

    /// A varint, up to the eighth byte.
    private static func number(_ bytes: [UInt8], _ place: inout Int) -> Int64 {
        var value: Int64 = 0
        for _ in 0..<8 {
            value = value << 7 | Int64(bytes[place] & 0x7f)
            place += 1
            if bytes[place - 1] < 0x80 { break }
        }
        return value
    }
}
