import SQLite
import TestSupport
import Testing

@testable import ReferenceServer

@Suite("Occupancy")
struct OccupancyTests {
    @Test("is the same whether events come one by one or in one batch", arguments: 0..<12)
    func batches(round: Int) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let (together, alone) = (try ServerFixture(), try ServerFixture())
        var number = 0
        for _ in 0..<25 {
            let events = (0..<2 + random.next() % 4).map { _ in
                number += 1
                return Self.event(number, &random).json
            }
            #expect(together.upload(events).status == 200)
            for event in events { #expect(alone.upload([event]).status == 200) }
            let rows = try Self.rows(together)
            try #require(try rows == Self.rows(alone), "seed \(seed), event \(number)")
        }
        #expect(try Self.rows(together).count == 2)
    }

    /// Comings and goings of two epochs and two boots, whose numbers and uptimes need not agree.
    private static func event(_ number: Int, _ random: inout SeededGenerator) -> EventText {
        var event = EventText("e-\(number)")
        event.type = random.next() % 2 == 0 ? "enter" : "exit"
        event.sequence = 1 + number / 2 + Int(random.next() % 6)
        event.epoch = random.next() % 4 == 0 ? "other" : "first"
        event.boot = random.next() % 4 == 0 ? "boot-2" : "boot-1"
        event.fence = random.next() % 3 == 0 ? "yard" : "depot"
        let agrees = random.next() % 4 != 0
        event.mono = agrees ? event.sequence * 1000 : Int(random.next() % 40_000)
        if random.next() % 6 == 0 { event.mono = nil }
        return event
    }

    private static func rows(_ fixture: ServerFixture) throws -> [[Value]] {
        let connection = try Connection(path: fixture.store.path, mode: .readOnly)
        return try connection.query(
            "SELECT fence_id, inside, epoch, seq, boot_order, mono_ms FROM occupancy ORDER BY 1"
        ) { row in (0..<6).map { row.value($0) } }
    }
}
