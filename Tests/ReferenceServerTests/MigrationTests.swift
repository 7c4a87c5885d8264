import SQLite
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import ReferenceServer

@Suite("Databases of earlier versions")
struct MigrationTests {
    @Test("an audience that was kept without effect takes effect, what cannot be read stays")
    func audiences() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("server.db")
        try makeFirstVersion(at: path)
        let store = try SQLiteServerStore(path: path, zones: FixtureZones.shared)
        let now = UTCTime(millisecondsSince1970: 0)
        func assigned(_ user: String) throws -> [String] {
            try store.fences(
                assignedTo: FenceAudienceMember(deviceID: "d", userID: user), of: 1, after: nil,
                limit: 10, now: now
            ).map(\.id)
        }
        #expect(try assigned("ann") == ["ann"])
        #expect(try assigned("bob").isEmpty)
        #expect(try store.fences(of: 1, after: nil, limit: 10).map(\.id) == ["all", "ann", "odd"])
        // Opening it again changes nothing.
        _ = try SQLiteServerStore(path: path, zones: FixtureZones.shared)
        #expect(try assigned("ann") == ["ann"])
    }

    private func makeFirstVersion(at path: String) throws {
        let database = try Connection(path: path)
        try database.migrate(Array(ServerSchema.migrations.prefix(1)))
        try database.run(
            """
            INSERT INTO workspaces (id, name, plan, max_fences, max_keys, created_ms)
                VALUES (1, 'old', 'production', 100, 25, 0)
            """)
        let audiences = [
            ("all", "null"), ("ann", "{\"user_ids\": [\"ann\"]}"), ("odd", "{\"user_ids\": 7}"),
        ]
        for (id, audience) in audiences {
            let document = """
                {"id": "\(id)", "type": "circle", "center": {"lat": 1, "lon": 1},
                 "radius_m": 100, "audience": \(audience)}
                """
            try database.run(
                """
                INSERT INTO fences (workspace, fence_id, version, created_ms, document,
                    content_hash, tag, boxes) VALUES (1, ?, 1, 0, ?, ?, 0, 0)
                """, id, Array(document.utf8), [UInt8]())
        }
    }
}
