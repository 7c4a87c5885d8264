import Delivery
import TestSupport
import Testing

@testable import AgentStorage

@Suite("Values of the table state")
struct StateRowTests {
    @Test("are read as they were written", arguments: [0, 1, 255, 256, 257, 1000, 2000, 70_000])
    func reading(count: Int) {
        let value = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let row = StateRow(value)
        #expect(StateRow.value(stored: row.stored, digest: row.digest) == value)
    }

    @Test("that end in zeros keep them")
    func zeros() {
        let value = [UInt8](repeating: 0, count: 300)
        let row = StateRow(value)
        #expect(StateRow.value(stored: row.stored, digest: row.digest) == value)
    }

    @Test("of earlier versions, without room to spare or not packed, are read")
    func earlier() {
        let value = [UInt8](repeating: 7, count: 2000)
        #expect(StateRow.value(stored: value, digest: Digest.of(value)) == value)
        let padded = value + [UInt8](repeating: 0, count: 304)
        let digest = Digest.of(value) + [0, 0, 0x07, 0xd0]
        #expect(StateRow.value(stored: padded, digest: digest) == value)
    }

    @Test("that say the same again and again take a fraction of their length")
    func packed() {
        let fence = #"{"changed":false,"id":"fence-1","presence":"outside","since":4093911"#
        let value = (0..<40).flatMap { Array((fence + "\($0)},").utf8) }
        let row = StateRow(value)
        #expect(row.stored.count < value.count / 3)
        #expect(StateRow.value(stored: row.stored, digest: row.digest) == value)
    }

    @Test("take the room of the one before as long as it fits and is not far too large")
    func room() {
        let first = StateRow(Self.noise(2000, seed: 1)).stored.count
        #expect(first > 2000)
        for count in [1900, 1999, 2001, first] {
            let row = StateRow(Self.noise(count, seed: 2), replacing: first)
            #expect(row.stored.count == first, "\(count)")
        }
        for count in [first + 1, 300] {
            let row = StateRow(Self.noise(count, seed: 3), replacing: first)
            #expect(row.stored.count != first, "\(count)")
        }
    }

    @Test("are nil once a byte, a length or the digest is another", arguments: [false, true])
    func damage(isPacked: Bool) {
        let row = StateRow(isPacked ? [UInt8](repeating: 3, count: 500) : Self.noise(500, seed: 4))
        #expect(row.digest.count == (isPacked ? 16 : 12))
        for place in isPacked ? [0] : [0, 499] {
            var stored = row.stored
            stored[place] ^= 1
            #expect(StateRow.value(stored: stored, digest: row.digest) == nil)
        }
        for place in row.digest.indices {
            var digest = row.digest
            digest[place] ^= 1
            #expect(StateRow.value(stored: row.stored, digest: digest) == nil)
        }
        #expect(StateRow.value(stored: Array(row.stored.prefix(4)), digest: row.digest) == nil)
        #expect(StateRow.value(stored: row.stored, digest: []) == nil)
    }

    /// Bytes that no packing makes shorter.
    private static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    @Test("that change by a few bytes are written where they lie")
    func writes() throws {
        let directory = try TemporaryDirectory()
        let queue = try SQLiteEventQueue(
            directory: directory.path + "/state", deviceID: "van", hardwareID: nil,
            timekeeper: SettableTimekeeper(), log: LogCollector())
        defer { queue.close() }
        func pages() throws -> Int64 { try queue.store?.connection.databaseBytes() ?? 0 }
        var value = Self.noise(6000, seed: 5)
        _ = try queue.commit([], state: StateUpdate(values: [.pipeline: value]))
        let size = try pages()
        for count in [6003, 5990, 6001] {
            value = Self.noise(count, seed: UInt64(count))
            _ = try queue.commit([], state: StateUpdate(values: [.pipeline: value]))
            #expect(try queue.state(.pipeline) == value)
        }
        #expect(try pages() == size)
        #expect(try queue.store?.connection.freeBytes() == 0)
    }
}
