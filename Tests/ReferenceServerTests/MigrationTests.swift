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

    @Test("what retention deleted before it was counted is not missing")
    func deletedBefore() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("server.db")
        try makeFirstVersion(at: path)
        let database = try Connection(path: path)
        try database.migrate(Array(ServerSchema.migrations.prefix(6)))
        try database.run(
            """
            INSERT INTO devices (id, workspace, device_id, first_seen_ms, last_seen_ms)
                VALUES (1, 1, 'old', 0, 0), (2, 1, 'gap', 0, 0), (3, 1, 'empty', 0, 0)
            """)
        try database.run(
            """
            INSERT INTO epochs (id, device, epoch, ordinal, first_seen_ms)
                VALUES (1, 1, 'a', 1, 0), (2, 2, 'a', 1, 0), (3, 3, 'a', 1, 0)
            """)
        let events: [(device: Int64, sequence: Int64)] = [
            (1, 41), (1, 42), (2, 1), (2, 2), (2, 4),
        ]
        for (device, sequence) in events {
            try database.run(
                """
                INSERT INTO events (workspace, client_event_id, payload_hash, device, epoch, seq,
                    boot_id, type, received_ms, batch_id, document)
                    VALUES (1, ?, ?, ?, ?, ?, 'b', 'enter', 0, 'b', ?)
                """, "\(device)-\(sequence)", [UInt8](), device, device, sequence, Array("{}".utf8))
        }
        let store = try SQLiteServerStore(path: path, zones: FixtureZones.shared)
        func device(_ id: String) throws -> StoredDevice {
            try #require(try store.device(id, of: 1))
        }
        #expect(try device("old").alarms.isEmpty)
        #expect(try device("old").epochs.map(\.deleted) == [40])
        #expect(try device("gap").alarms == [.missing])
        #expect(try device("empty").alarms.isEmpty)
        #expect(try device("empty").epochs.map(\.deleted) == [0])
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
