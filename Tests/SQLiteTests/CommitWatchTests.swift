import Foundation
import SQLite
import TestSupport
import Testing

@Suite("Noticing commits")
struct CommitWatchTests {
    @Test("every commit of another connection is noticed, once", arguments: ["WAL", "DELETE"])
    func commits(mode: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.db")
        let writer = try Connection(path: path)
        try writer.setPragma("journal_mode", mode)
        try writer.execute("CREATE TABLE t (n INTEGER)")
        var watch = try CommitWatch(path: path)
        #expect(try watch.hasChanged())
        #expect(try !watch.hasChanged())
        for number in 0..<100 {
            try writer.run(number % 2 == 0 ? "INSERT INTO t VALUES (1)" : "UPDATE t SET n = n + 1")
            #expect(try watch.hasChanged(), "commit \(number)")
            #expect(try !watch.hasChanged())
            guard number == 50, mode == "WAL" else { continue }
            try writer.checkpoint(.truncate)
            _ = try watch.hasChanged()
        }
    }

    @Test("what was not committed is no change")
    func undone() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.db")
        let writer = try Connection(path: path)
        try writer.setPragma("journal_mode", "WAL")
        try writer.execute("CREATE TABLE t (n INTEGER)")
        var watch = try CommitWatch(path: path)
        _ = try watch.hasChanged()
        try writer.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
        #expect(try !watch.hasChanged())
        try writer.execute("ROLLBACK")
        #expect(try !watch.hasChanged())
        #expect(try writer.first("SELECT count(*) FROM t") { $0.int(0) } == 0)
        #expect(try !watch.hasChanged())
    }

    @Test("the watched file keeps its locks: nobody else takes it for unused")
    func locks() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.db")
        let writer = try Connection(path: path)
        try writer.setPragma("journal_mode", "WAL")
        try writer.execute("CREATE TABLE t (n INTEGER)")
        var watch = try CommitWatch(path: path)
        for _ in 0..<10 { _ = try watch.hasChanged() }
        // A process of its own: locks are of processes.
        let other = Process()
        other.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        other.arguments = [
            "python3", "-c",
            "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); "
                + "c.execute('INSERT INTO t VALUES (7)'); c.commit(); c.close()", path,
        ]
        try other.run()
        other.waitUntilExit()
        #expect(other.terminationStatus == 0)
        // The last one to close a file deletes its log.
        #expect(FileManager.default.fileExists(atPath: path + "-shm"))
        #expect(try watch.hasChanged())
        #expect(try writer.first("SELECT n FROM t") { $0.int(0) } == 7)
    }
}
