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

    @Test("of an earlier version, without room to spare, are read")
    func earlier() {
        let value = [UInt8](repeating: 7, count: 2000)
        #expect(StateRow.value(stored: value, digest: Digest.of(value)) == value)
    }

    @Test("take the room of the one before as long as it fits and is not far too large")
    func room() {
        let first = StateRow([UInt8](repeating: 1, count: 2000)).stored.count
        #expect(first > 2000)
        for count in [1900, 1999, 2001, first] {
            let row = StateRow([UInt8](repeating: 2, count: count), replacing: first)
            #expect(row.stored.count == first, "\(count)")
        }
        for count in [first + 1, 300] {
            let row = StateRow([UInt8](repeating: 2, count: count), replacing: first)
            #expect(row.stored.count != first, "\(count)")
        }
    }

    @Test("are nil once a byte, the length or the digest is another")
    func damage() {
        let row = StateRow([UInt8](repeating: 3, count: 500))
        for place in [0, 499] {
            var stored = row.stored
            stored[place] ^= 1
            #expect(StateRow.value(stored: stored, digest: row.digest) == nil)
        }
        for place in row.digest.indices {
            var digest = row.digest
            digest[place] ^= 1
            #expect(StateRow.value(stored: row.stored, digest: digest) == nil)
        }
        #expect(StateRow.value(stored: Array(row.stored.prefix(400)), digest: row.digest) == nil)
        #expect(StateRow.value(stored: row.stored, digest: []) == nil)
    }

    @Test("that change by a few bytes are written where they lie")
    func writes() throws {
        let directory = try TemporaryDirectory()
        let queue = try SQLiteEventQueue(
            directory: directory.path + "/state", deviceID: "van", hardwareID: nil,
            timekeeper: SettableTimekeeper(), log: LogCollector())
        defer { queue.close() }
        func pages() throws -> Int64 { try queue.store?.connection.databaseBytes() ?? 0 }
        var value = [UInt8](repeating: UInt8(ascii: "a"), count: 6000)
        _ = try queue.commit([], state: StateUpdate(values: [.pipeline: value]))
        let size = try pages()
        for count in [6003, 5990, 6001] {
            value = [UInt8](repeating: UInt8(ascii: "b"), count: count)
            _ = try queue.commit([], state: StateUpdate(values: [.pipeline: value]))
            #expect(try queue.state(.pipeline) == value)
        }
        #expect(try pages() == size)
        #expect(try queue.store?.connection.freeBytes() == 0)
    }
}
