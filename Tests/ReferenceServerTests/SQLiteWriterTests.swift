import Dispatch
import Foundation
import SQLite
import Synchronization
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

    @Test("a change that fails half-way is undone alone, whatever it shares its transaction with")
    func halfway() async throws {
        let crowd = Crowd(writer: try writer())
        await withCheckedContinuation { done in
            Thread.detachNewThread {
                crowd.write()
                done.resume()
            }
        }
        let counts = crowd.counts
        #expect(counts.made == 9 && counts.refused == 6)
        #expect(try count() == 9)
    }

    @Test(
        "the log is emptied although it is being copied, by this process or another",
        arguments: [0, 1, 2, 4, 8, 16], [true, false])
    func emptied(milliseconds: Int, isOwn: Bool) throws {
        let connection = try Connection(path: path)
        try connection.setPragma("journal_mode", "WAL")
        try connection.setPragma("wal_autocheckpoint", 0)
        try connection.execute("CREATE TABLE blobs (content BLOB)")
        let copier = try LogCopier(path: path)
        let writer = SQLiteWriter(connection, log: isOwn ? copier : nil)
        // Enough for a copy to begin, and to take a while.
        let bytes = 3 * SQLiteWriter.pagesBetweenCopies * 4096
        try writer.write { try $0.run("INSERT INTO blobs VALUES (zeroblob(?))", bytes) }
        if !isOwn { copier.start() }
        Thread.sleep(forTimeInterval: Double(milliseconds) / 1000)
        try writer.checkpoint()
        let log = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
        #expect(log == 0)
        copier.wait()
    }

    @Test("leaves the log where another process goes on copying it")
    func copiedByAnother() throws {
        let connection = try Connection(path: path)
        try connection.setPragma("journal_mode", "WAL")
        try connection.setPragma("busy_timeout", 50)
        try connection.execute("CREATE TABLE blobs (content BLOB)")
        let writer = SQLiteWriter(connection)
        let reader = try Connection(path: path, mode: .readOnly)
        // Who reads an older state keeps the log in its place, as one who copies does.
        try reader.execute("BEGIN")
        _ = try reader.first("SELECT count(*) FROM blobs") { $0.int(0) }
        try writer.write { try $0.run("INSERT INTO blobs VALUES (zeroblob(9))") }
        try writer.checkpoint()
        try reader.execute("ROLLBACK")
        try writer.checkpoint()
        #expect(try reader.first("SELECT count(*) FROM blobs") { $0.int(0) } == 1)
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

/// Fifteen changes that wait at the same time: every fifth fails before its first row, and every fifth
/// after it.
private final class Crowd: Sendable {
    private let writer: SQLiteWriter
    private let state = Mutex((made: 0, refused: 0))

    private struct Refused: Error {}

    init(writer: SQLiteWriter) {
        self.writer = writer
    }

    var counts: (made: Int, refused: Int) { state.withLock { $0 } }

    /// Blocks until all have been answered.
    func write() {
        let threads = DispatchGroup()
        // Holds the connection until the others stand in line.
        try? writer.write { _ in
            for number in 0..<15 {
                threads.enter()
                Thread.detachNewThread {
                    self.write(number)
                    threads.leave()
                }
            }
            Thread.sleep(forTimeInterval: 0.3)
        }
        threads.wait()
    }

    private func write(_ number: Int) {
        do {
            try writer.write { connection in
                if number % 5 == 1 { throw Refused() }
                try connection.run("INSERT INTO children VALUES (NULL)")
                if number % 5 == 2 { throw Refused() }
            }
            state.withLock { $0.made += 1 }
        } catch {
            state.withLock { $0.refused += 1 }
        }
    }
}
