import Delivery
import Foundation
import SQLite
import TestSupport
import Testing
import WireFormat

@testable import AgentStorage

@Suite("Packing")
struct PackingTests {
    @Test("loses nothing, whatever is packed", arguments: [1, 2, 3] as [UInt64])
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var packedCount = 0
        for _ in 0..<400 {
            let text = Self.text(&random)
            guard let packed = Packing.pack(text) else { continue }
            packedCount += 1
            #expect(packed.count <= text.count)
            #expect(Packing.unpack(packed[...], count: text.count) == text, "seed \(seed)")
        }
        #expect(packedCount > 200)
    }

    @Test(
        "of what nobody packed is nil or some bytes, and never a trap",
        arguments: [4, 5, 6] as [UInt64])
    func damage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<400 {
            let text = Self.text(&random)
            let dictionary = Bool.random(using: &random) ? [] : PackedPayload.dictionary
            var packed = Packing.pack(text) ?? text
            for _ in 0..<4 where !packed.isEmpty {
                packed[Int.random(in: packed.indices, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            let cut = packed.prefix(Int.random(in: 0...packed.count, using: &random))
            for count in [text.count, 0, 1, 65_535, Int.max, -1] {
                let found = Packing.unpack(cut, count: count, with: dictionary)
                #expect(found == nil || found?.count == count)
            }
            _ = PackedPayload.unpack([1] + cut)
        }
    }

    /// Noise, repetition and members, of any length.
    private static func text(_ random: inout SeededGenerator) -> [UInt8] {
        let words = [
            "\"fence_id\":\"", "\",\"wall_at\":\"2026-", "aaaaaaaaaaaaaaaaaaaa", ",", "0.25",
        ]
        let longest = Int.random(in: 0..<20, using: &random) == 0 ? 66_000 : 3000
        let count = Int.random(in: 0...longest, using: &random)
        var text: [UInt8] = []
        while text.count < count {
            switch Int.random(in: 0..<3, using: &random) {
            case 0: text.append(.random(in: 0...255, using: &random))
            case 1: text += Array((words.randomElement(using: &random) ?? "").utf8)
            default:
                let from = Int.random(in: 0...text.count, using: &random)
                text += text[from...].prefix(Int.random(in: 0...600, using: &random))
            }
        }
        return text
    }
}

@Suite("A queue of version 1")
struct EarlierQueueTests {
    /// Made by the program that wrote that version: twelve events, none of them sent.
    private static let path = "\(SharedFolder.projectRoot)/Tests/Fixtures/queue/version-1.db"

    @Test("is migrated, keeps every event as it was, and takes new ones and their receipts")
    func migration() throws {
        let directory = try TemporaryDirectory()
        let queue = try Self.open(in: directory)
        let old = try queue.pending(everything)
        #expect(old.map(\.key) == Array(1...12))
        let payloads = Array(old.map(\.payload).joined(separator: [UInt8(ascii: "\n")]))
        #expect(
            Digest.of(payloads) == [0xc2, 0x56, 0x0b, 0x1b, 0xbf, 0xc9, 0xbb, 0x3c])
        let new = try queue.commit(
            SampleEvents.drafts(2),
            state: StateUpdate(values: [.pipeline: [UInt8](repeating: 1, count: 900)]))
        #expect(new.map(\.position.sequence) == [13, 14])
        #expect(try queue.pending(everything).dropLast(2).map(\.payload) == old.map(\.payload))
        try queue.settle([
            Settlement(old[0], .acknowledged), Settlement(old[1], .dead(code: "x")),
            Settlement(key: 13, fate: .dead(code: "y")),
        ])
        #expect(try queue.verify())
        queue.close()
        let again = try Self.reopen(in: directory)
        #expect(again.health == .durable)
        #expect(again.counts.pending == 11 && again.counts.dead == 2)
        #expect(try again.state(.pipeline) == [UInt8](repeating: 1, count: 900))
        #expect(try again.store?.connection.schemaVersion() == 3)
        again.close()
    }

    @Test("is read without being migrated by those who only look")
    func reader() throws {
        let directory = try TemporaryDirectory()
        try Self.copy(to: directory)
        let reader = try SQLiteQueueReader(directory: directory.file("state"))
        #expect(try reader.events(after: nil, limit: 100).count == 12)
        #expect(try reader.defects() == [])
    }

    private static func open(in directory: TemporaryDirectory) throws -> SQLiteEventQueue {
        try copy(to: directory)
        return try reopen(in: directory)
    }

    private static func reopen(in directory: TemporaryDirectory) throws -> SQLiteEventQueue {
        try SQLiteEventQueue(
            directory: directory.file("state"), deviceID: "van-1", hardwareID: nil,
            limits: StorageLimits(ballastBytes: 0), timekeeper: SettableTimekeeper(),
            log: LogCollector())
    }

    private static func copy(to directory: TemporaryDirectory) throws {
        let files = QueueFiles(directory: directory.file("state"))
        try files.makeDirectory()
        try FileManager.default.copyItem(atPath: path, toPath: files.database)
    }
}
