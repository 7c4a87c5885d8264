import Foundation
import TestSupport
import Testing

@testable import AgentStorage

@Suite("The queue's files")
struct QueueFilesTests {
    private let directory: TemporaryDirectory
    private let files: QueueFiles

    init() throws {
        directory = try TemporaryDirectory()
        files = QueueFiles(directory: directory.file("state"))
        try files.makeDirectory()
    }

    private func write(_ name: String, modified year: Int? = nil) throws {
        let path = directory.file("state/\(name)")
        try Data([1]).write(to: URL(fileURLWithPath: path))
        guard let year else { return }
        let date = Date(timeIntervalSince1970: Double(year - 1970) * 31_557_600)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }

    private var quarantined: [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: files.quarantine)
        return (names ?? []).sorted()
    }

    @Test("in quarantine go in the order in which they came, whatever the clock said")
    func orderOfQuarantine() throws {
        try FileManager.default.createDirectory(
            atPath: files.quarantine, withIntermediateDirectories: false)
        // Of earlier versions, which had no numbers; then one whose clock was ahead.
        try write("quarantine/2031-01-01T000000000Z-queue.db", modified: 2025)
        try write("quarantine/2020-01-01T000000000Z-queue.db", modified: 2026)
        try write("quarantine/9_2040-01-01T000000000Z-queue.db", modified: 2040)
        try write("quarantine/99999999999999999999_2026-queue.db", modified: 2024)
        try write("queue.db", modified: 1970)
        try write("queue.db-wal", modified: 1970)
        try files.quarantineDatabase(label: "1970-01-01T000000000Z")
        let newest = "10_1970-01-01T000000000Z-queue.db"
        #expect(quarantined.contains(newest) && quarantined.contains(newest + "-wal"))
        let order = [
            "99999999999999999999_2026-queue.db", "2031-01-01T000000000Z-queue.db",
            "2020-01-01T000000000Z-queue.db", "9_2040-01-01T000000000Z-queue.db",
        ]
        for name in order {
            #expect(files.dropOldestQuarantined())
            #expect(!quarantined.contains(name), "\(name): \(quarantined)")
        }
        #expect(quarantined == [newest, newest + "-wal"])
    }

    @Test("that follow a database into quarantine go to the newest one there")
    func restOfDatabase() throws {
        try FileManager.default.createDirectory(
            atPath: files.quarantine, withIntermediateDirectories: false)
        try write("quarantine/1_2040-queue.db", modified: 2040)
        try write("quarantine/2_2026-queue.db", modified: 2026)
        try write("queue.db-wal")
        try files.quarantineDatabase(label: "2027")
        #expect(
            quarantined == ["1_2040-queue.db", "2_2026-queue.db", "2_2026-queue.db-wal"])
    }

    @Test("are lost where they are not there, and not where the disk does not say")
    func loss() throws {
        #expect(try files.loss == nil)
        files.mark(epoch: "0123456789abcdef0123456789abcdef")
        #expect(try files.loss?.contains("is gone") == true)
        // A link to itself: ELOOP.
        try FileManager.default.createSymbolicLink(
            atPath: files.database, withDestinationPath: files.database)
        #expect(throws: QueueOpening.Failure.self) { try files.loss }
        try FileManager.default.removeItem(atPath: files.database)
        try write("queue.db")
        #expect(try files.loss == nil)
    }

    @Test("whose size the disk does not say are no empty logs that may go")
    func unknownSize() throws {
        let unknown = "\(directory.file("state"))/loop"
        try FileManager.default.createSymbolicLink(
            atPath: unknown, withDestinationPath: unknown)
        #expect(throws: QueueOpening.Failure.self) { try QueueFiles.size(of: unknown) }
        #expect(try QueueFiles.size(of: unknown + "-absent") == 0)
    }
}
