import SQLite
import TestSupport
import Testing

@testable import ReferenceServer

@Suite("The server's one writer")
struct SQLiteWriterTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("writer.db")
    }

    private func writer() throws -> SQLiteWriter {
        let connection = try Connection(path: path)
        try connection.setPragma("journal_mode", "WAL")
        try connection.setPragma("foreign_keys", 1)
        try connection.execute(
            """
            CREATE TABLE parents (id INTEGER PRIMARY KEY);
            CREATE TABLE children (
                parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED);
            """)
        return SQLiteWriter(connection)
    }

    private func count() throws -> Int? {
        try Connection(path: path, mode: .readOnly)
            .first("SELECT count(*) FROM children") { $0.int(0) }
    }

    @Test("answers when the change is there for others")
    func visible() throws {
        let writer = try writer()
        for number in 1...3 {
            try writer.write { try $0.run("INSERT INTO children VALUES (NULL)") }
            #expect(try count() == number)
        }
    }

    @Test("does not answer well where the COMMIT fails")
    func failedCommit() throws {
        let writer = try writer()
        // No parent: found when the transaction ends.
        #expect(throws: StoreError.self) {
            try writer.write { try $0.run("INSERT INTO children VALUES (7)") }
        }
        #expect(try count() == 0)
        try writer.write { try $0.run("INSERT INTO children VALUES (NULL)") }
        #expect(try count() == 1)
    }
}
