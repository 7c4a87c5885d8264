import Foundation
import SQLite
import Synchronization
import TestSupport
import Testing
import WireFormat

@testable import ReferenceServer

@Suite(
    "The program geofence-server", .serialized,
    .enabled(if: ServerProcess.program != nil, "geofence-server is not built beside the tests"))
struct ServerProgramTests {
    private func initialised() throws -> (
        directory: TemporaryDirectory, database: String, admin: String, device: String
    ) {
        let directory = try TemporaryDirectory()
        let database = directory.file("server.db")
        let made = try ServerProcess.run([
            "init", "--database", database, "--workspace", "acme", "--json",
        ])
        #expect(made.status == 0)
        let json = try WireCoding.decode(JSONValue.self, from: Array(made.output.utf8))
        return (
            directory, database, try #require(json["admin_key"]?.string),
            try #require(json["device_key"]?.string)
        )
    }

    private func batch(_ ids: [String], firstSequence: Int) -> String {
        let events = ids.enumerated().map { offset, id in
            var event = EventText(id)
            event.sequence = firstSequence + offset
            return event.json
        }
        return """
            {"batch_id": "b", "device_id": "van-7", "sent_at": "2026-01-31T12:00:00Z",
             "clock_anchors": [], "events": [\(events.joined(separator: ","))]}
            """
    }

    @Test("init, serve, import, keys and export work together, SIGTERM ends with 0")
    func commands() throws {
        let made = try initialised()
        let database = made.database
        let file = made.directory.file("fences.geojson")
        try Data(
            """
            {"type": "FeatureCollection", "features": [{"type": "Feature", "id": "depot",
             "geometry": {"type": "Point", "coordinates": [13.4, 52.5]},
             "properties": {"radius_m": 150}}]}
            """.utf8
        ).write(to: URL(fileURLWithPath: file))
        let server = try ServerProcess(database: database)
        #expect(try ServerProcess.run(["import", "--database", database, file]).status == 0)
        let near = server.ask(
            "POST", "/v1/fences/nearest", key: made.device, body: "{\"lat\": 52.5, \"lon\": 13.4}")
        #expect(near?.status == 200 && near?.body.contains("\"depot\"") == true)
        let list = try ServerProcess.run(["keys", "list", "--database", database, "--json"])
        #expect(list.status == 0 && list.output.contains("\"last_four\""))
        #expect(try ServerProcess.run(["keys", "revoke", "--database", database, "2"]).status == 0)
        let revoked = server.ask("GET", "/v1/config", key: made.device)
        #expect(revoked?.status == 401)
        let issued = try ServerProcess.run([
            "keys", "issue", "--database", database, "--scope", "live",
        ])
        let key = issued.output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(server.ask("GET", "/v1/config", key: key)?.status == 200)
        #expect(server.ask("GET", "/v1/admin/usage", key: made.admin)?.status == 200)
        let copy = made.directory.file("copy.db")
        #expect(try ServerProcess.run(["backup", "--database", database, copy]).status == 0)
        #expect(server.terminate() == 0)
        let exported = try ServerProcess.run(["export", "--database", copy])
        #expect(exported.status == 0 && exported.output.contains("\"depot\""))
    }

    @Test("limits are shown, raised while the server runs, and a trial becomes production")
    func limits() throws {
        let directory = try TemporaryDirectory()
        let database = directory.file("server.db")
        func run(_ arguments: String...) throws -> (status: Int32, output: String) {
            try ServerProcess.run(
                [arguments[0], "--database", database] + arguments.dropFirst() + ["--json"])
        }
        let made = try run("init", "--workspace", "acme", "--plan", "trial")
        let keys = try WireCoding.decode(JSONValue.self, from: Array(made.output.utf8))
        let admin = try #require(keys["admin_key"]?.string)
        let server = try ServerProcess(database: database)
        #expect(try run("limits").output.contains("\"limit\":10000"))
        #expect(try run("limits", "--fences", "5000", "--devices", "none").status == 0)
        func usage() throws -> JSONValue? {
            let answer = server.ask("GET", "/v1/admin/usage", key: admin)
            return try WireCoding.decode(JSONValue.self, from: Array((answer?.body ?? "").utf8))
        }
        let raised = try usage()
        #expect(raised?["fences"]?["limit"]?.number == 5_000)
        #expect(raised?["devices"]?["limit"] == .null)
        #expect(raised?["events_this_month"]?["limit"]?.number == 10_000)
        #expect(raised?["trial_ends_at"]?.string != nil)
        #expect(try run("limits", "--plan", "production", "--keys", "30").status == 0)
        let production = try usage()
        #expect(production?["plan"]?.string == "production")
        #expect(production?["trial_ends_at"] == .null)
        #expect(production?["fences"]?["limit"]?.number == 100)
        #expect(production?["keys"]?["limit"]?.number == 30)
        for wrong in ["-1", "many", "1000000001"] {
            #expect(try run("limits", "--fences", wrong).status == 2)
        }
        #expect(server.terminate() == 0)
    }

    @Test("misuse and a missing database have their exit codes")
    func exitCodes() throws {
        let directory = try TemporaryDirectory()
        let rows: [([String], Int32)] = [
            (["serve", "--database", directory.file("none.db")], 78),
            (["serve"], 2), (["serve", "--database", "x", "--listen", "nowhere"], 2),
            (["init", "--database", directory.file("x.db")], 2),
            (["serve", "--config", directory.file("none.yaml")], 78),
            (["serve", "--help"], 0), (["dance"], 2),
        ]
        for (arguments, status) in rows {
            #expect(try ServerProcess.run(arguments).status == status, "\(arguments)")
        }
    }

    @Test("keys and codes are for what can be a device, and a key may end")
    func checkedKeys() throws {
        let made = try initialised()
        let issue = ["keys", "issue", "--database", made.database, "--scope"]
        for arguments in [
            issue + ["live", "--device-id", "van 7"], issue + ["live", "--expires", "tomorrow"],
            issue + ["live", "--expires", "2020-01-01T00:00:00Z"],
            issue + ["admin", "--device-id", "van-7"],
            ["provision", "--database", made.database, "--device-id", "a/b"],
        ] {
            #expect(try ServerProcess.run(arguments).status == 2, "\(arguments)")
        }
        let good = try ServerProcess.run(
            issue + ["live", "--device-id", "van-7", "--expires", "2199-01-01T00:00:00Z"])
        #expect(good.status == 0)
        let list = try ServerProcess.run(["keys", "list", "--database", made.database, "--json"])
        #expect(list.output.contains("2199-01-01T00:00:00.000Z"))
    }

    @Test("what init and backup make can be read by their user alone")
    func privateFiles() throws {
        let made = try initialised()
        let copy = made.directory.file("copy.db")
        let backup = try ServerProcess.run(["backup", "--database", made.database, copy])
        #expect(backup.status == 0)
        for path in [made.database, copy] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue
            #expect(mode == 0o600, "\(path)")
        }
    }

    @Test("kill -9 under load: what was acknowledged is there once, and retries end it")
    func killUnderLoad() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let made = try initialised()
        let acknowledged = Mutex<Set<String>>([])
        let sent = Mutex<[[String]]>([])
        for round in 0..<6 {
            let server = Uploads(try ServerProcess(database: made.database))
            let workers = (0..<3).map { worker in
                let done = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    for number in 0..<10_000 {
                        let ids = (0..<8).map { "r\(round)-w\(worker)-\(number)-\($0)" }
                        sent.withLock { $0.append(ids) }
                        guard let answer = server.post(batch(ids, firstSequence: 1), made.device),
                            answer.contains("\"accepted\"")
                        else { break }
                        acknowledged.withLock { $0.formUnion(ids) }
                    }
                    done.signal()
                }
                return done
            }
            usleep(UInt32(50_000 + generator.next() % 250_000))
            server.process.kill()
            for done in workers { done.wait() }
        }
        let before = try keptIDs(made.database)
        let promised = acknowledged.withLock { $0 }
        #expect(promised.count > 100)
        #expect(promised.subtracting(before).isEmpty)
        // What was sent and not acknowledged is sent again, as an agent would.
        let server = Uploads(try ServerProcess(database: made.database))
        let all = sent.withLock { $0 }
        for ids in all where !promised.isSuperset(of: ids) {
            _ = server.post(batch(ids, firstSequence: 1), made.device)
        }
        #expect(server.process.terminate() == 0)
        let kept = try keptIDs(made.database)
        #expect(kept.count == all.count * 8)
        #expect(Set(kept) == Set(all.joined()))
    }

    /// Every id as often as it is kept.
    private func keptIDs(_ database: String) throws -> [String] {
        let connection = try Connection(path: database, mode: .readWrite)
        #expect(try connection.integrityCheck().isEmpty)
        return try connection.query("SELECT client_event_id FROM events") { $0.text(0) }
    }
}

/// Lets several threads upload to one process.
///
/// `@unchecked`: `ask` only reads the port, which never changes; the process is ended by one thread.
private final class Uploads: @unchecked Sendable {
    let process: ServerProcess

    init(_ process: ServerProcess) {
        self.process = process
    }

    func post(_ body: String, _ key: String) -> String? {
        let answer = process.ask("POST", "/v1/events/batch", key: key, body: body)
        return answer.flatMap { $0.status == 200 ? $0.body : nil }
    }
}
