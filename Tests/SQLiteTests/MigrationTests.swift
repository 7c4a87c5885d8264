import SQLite
import TestSupport
import Testing

@Suite("Migrations")
struct MigrationTests {
    let directory: TemporaryDirectory
    let connection: Connection

    init() throws {
        directory = try TemporaryDirectory()
        connection = try Connection(path: directory.file("test.db"))
    }

    static var steps: [Migration] {
        [
            Migration(version: 1, script: "CREATE TABLE a(x) ; INSERT INTO a VALUES (1)"),
            Migration(version: 2, script: "ALTER TABLE a ADD COLUMN y DEFAULT 5"),
        ]
    }

    @Test("run once, in order, from every version", arguments: 0...2)
    func order(start: Int) throws {
        try connection.migrate(Array(Self.steps.prefix(start)))
        try connection.migrate(Self.steps)
        try connection.migrate(Self.steps)
        #expect(try connection.schemaVersion() == 2)
        #expect(try connection.query("SELECT x + y FROM a") { $0.int(0) } == [6])
    }

    @Test("leave a newer file untouched")
    func newer() throws {
        try connection.setPragma("user_version", 9)
        let error = thrown(MigrationError.self) { try connection.migrate(Self.steps) }
        #expect(error == .newerVersion(found: 9, supported: 2))
        #expect(try connection.query("SELECT name FROM sqlite_schema") { $0.text(0) } == [])
    }

    @Test("keep what came before a failing step, and nothing of the step")
    func failure() throws {
        let broken = Migration(
            version: 3, script: "CREATE TABLE b(x); INSERT INTO nowhere VALUES (1)")
        let error = thrown(MigrationError.self) {
            try connection.migrate(Self.steps + [broken])
        }
        guard case .failed(version: 3, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try connection.schemaVersion() == 2)
        #expect(try connection.query("SELECT name FROM sqlite_schema") { $0.text(0) } == ["a"])
    }
}
