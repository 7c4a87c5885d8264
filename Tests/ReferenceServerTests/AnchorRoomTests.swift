import SQLite
import Testing

@testable import ReferenceServer

@Suite("Room for clock anchors")
struct AnchorRoomTests {
    let fixture: ServerFixture
    let database: Connection

    init() throws {
        fixture = try ServerFixture()
        database = try Connection(path: fixture.directory.file("server.db"))
    }

    private func anchor(_ boot: String, _ mono: Int, _ source: String = "gnss") -> String {
        """
        {"boot_id": "\(boot)", "mono_ms": \(mono), "utc": "2026-01-01T00:00:00Z",
         "source": "\(source)"}
        """
    }

    /// Uploads anchors, and tells which are kept.
    private func upload(_ batch: String, _ anchors: [String]) throws -> [StoredAnchor] {
        let list = "[\(anchors.joined(separator: ","))]"
        #expect(fixture.upload([], batch: batch, anchors: list).status == 200)
        return try fixture.store.anchors(
            ofDevice: "van-7", of: fixture.workspace.id, after: nil, limit: 30_000)
    }

    /// Makes the one anchor of `boot-1` to one less than it may have, a second apart. `source` is an
    /// expression of SQL.
    private func fill(source: String) throws {
        _ = try upload("first", [anchor("boot-1", 0)])
        try database.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
                WHERE i < \(AnchorRoom.anchorsOfBoot - 2))
            INSERT INTO anchors (device, boot_id, mono_ms, utc_ms, source)
                SELECT a.device, a.boot_id, i * 1000, a.utc_ms + i * 1000, \(source)
                FROM n, anchors a
            """)
    }

    @Test("of ever new boots ends somewhere: the oldest go that no event needs")
    func boots() throws {
        // A boot whose event waits for the anchor that came with it.
        var event = EventText("e-0")
        event.boot = "boot-0"
        event.occurredAt = nil
        let first = fixture.upload(
            [event.json], batch: "first", anchors: "[\(anchor("boot-0", 0))]")
        #expect(first.outcomes == ["accepted"])
        try database.execute(
            """
            WITH RECURSIVE n(i) AS
                (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(AnchorRoom.boots))
            INSERT INTO anchors (device, boot_id, mono_ms, utc_ms, source)
                SELECT a.device, 'boot-' || i, 0, a.utc_ms + i, a.source FROM n, anchors a
            """)
        let kept = try upload("b", (0..<100).map { anchor("new-\($0)", 0) })
        #expect(kept.count == 1 + AnchorRoom.boots - AnchorRoom.clearedBoots + 100)
        let boots = Set(kept.map(\.bootID))
        #expect((0..<100).allSatisfy { boots.contains("new-\($0)") })
        #expect(boots.contains("boot-0") && boots.contains("boot-\(AnchorRoom.boots)"))
        #expect(!boots.contains("boot-1") && !boots.contains("boot-\(AnchorRoom.clearedBoots)"))
        #expect(boots.contains("boot-\(AnchorRoom.clearedBoots + 1)"))
        let events = fixture.admin("GET", "/v1/admin/events")["events"]?.array ?? []
        #expect(events.first?["time_source"]?.string == "anchor")
    }

    @Test("of one boot ends somewhere: every second one goes, and the newest is kept")
    func ofOneBoot() throws {
        try fill(source: "'gnss'")
        func upload(_ mono: Int, _ source: String = "gnss") throws -> [Int64] {
            try self.upload("b-\(mono)", [anchor("boot-1", mono, source)])
                .map(\.monoMilliseconds)
        }
        #expect(try upload(20_000_000, "disciplined").count == AnchorRoom.anchorsOfBoot)
        let thinned = try upload(20_001_000)
        // The only one of its source stays, as do the first one and the newest.
        #expect(thinned.count == AnchorRoom.anchorsOfBoot / 2 + 2)
        #expect(thinned.contains(20_000_000) && thinned.last == 20_001_000 && thinned.first == 0)
        #expect(try upload(20_002_000).count == AnchorRoom.anchorsOfBoot / 2 + 3)
    }

    @Test("of one boot ends somewhere, also where each anchor is of another source")
    func ofManySources() throws {
        try fill(source: "'clock ' || i")
        // Those that come once more take no room.
        let again = try upload("again", (1...10).map { anchor("boot-1", $0 * 1000) })
        #expect(again.count == AnchorRoom.anchorsOfBoot - 1)
        let news = (1...10).map { anchor("boot-1", 20_000_000 + $0, "clock of mine \($0)") }
        let kept = try upload("b", news)
        // The one by GNSS, half of the others, and those that came since.
        #expect(kept.count == 1 + AnchorRoom.anchorsOfBoot / 2 + 9)
        #expect(kept.first?.source == "gnss" && kept.last?.monoMilliseconds == 20_000_010)
    }
}
