import Foundation
import TestSupport
import Testing

@testable import SQLite

@Suite("Copying the log beside its writer")
struct LogCopierTests {
    @Test("what is in the log comes into the database without the writer")
    func copying() throws {
        let found = try Self.copy()
        #expect(found.copiedBytes >= 50 * 5000)
        // Once all of it is copied a commit begins the log anew instead of adding to it.
        #expect(found.logBeginsAnew)
        #expect(found.pagesWritten >= 100)
        #expect(found.defects == [])
    }

    private struct Found {
        var pagesWritten = 0
        var copiedBytes = 0
        var logBeginsAnew = false
        var defects: [String] = []
    }

    private static func copy() throws -> Found {
        let directory = try TemporaryDirectory()
        let path = directory.file("log.db")
        let writer = try Connection(path: path)
        try writer.setPragma("journal_mode", "WAL")
        try writer.setPragma("wal_autocheckpoint", 0)
        try writer.execute("CREATE TABLE rows (content BLOB)")
        let copier = try LogCopier(path: path)
        func write() throws {
            try writer.run("INSERT INTO rows VALUES (?)", [UInt8](repeating: 7, count: 5000))
        }
        var found = Found()
        let before = writer.pagesWritten
        for _ in 0..<50 { try write() }
        found.pagesWritten = writer.pagesWritten - before
        copier.start()
        copier.wait()
        found.copiedBytes = try bytes(path)
        let length = try bytes(path + "-wal")
        try write()
        found.logBeginsAnew = try bytes(path + "-wal") == length
        found.defects = try writer.integrityCheck()
        return found
    }

    private static func bytes(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
}
