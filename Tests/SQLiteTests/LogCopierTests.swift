import Foundation
import TestSupport
import Testing

@testable import SQLite

@Suite("Copying the log beside its writer")
struct LogCopierTests {
    @Test("what is in the log comes into the database without the writer")
    func copying() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("log.db")
        let writer = try Connection(path: path)
        try writer.setPragma("journal_mode", "WAL")
        try writer.setPragma("wal_autocheckpoint", 0)
        try writer.execute("CREATE TABLE rows (content BLOB)")
        let copier = try LogCopier(path: path)
        let before = writer.pagesWritten
        for _ in 0..<50 {
            try writer.run("INSERT INTO rows VALUES (?)", [UInt8](repeating: 7, count: 5000))
        }
        #expect(writer.pagesWritten - before >= 100)
        let end = Date(timeIntervalSinceNow: 120)
        while try Self.bytes(path) < 50 * 5000, Date() < end {
            copier.start()
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try Self.bytes(path) >= 50 * 5000)
        // Once all of it is copied a commit begins the log anew instead of adding to it.
        var beginsAnew = false
        while !beginsAnew, Date() < end {
            copier.start()
            try await Task.sleep(for: .milliseconds(20))
            let length = try Self.bytes(path + "-wal")
            try writer.run("INSERT INTO rows VALUES (?)", [UInt8](repeating: 7, count: 5000))
            beginsAnew = try Self.bytes(path + "-wal") == length
        }
        #expect(beginsAnew)
        #expect(try writer.integrityCheck() == [])
    }

    private static func bytes(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
}
