import Foundation
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@Suite("A folder of recordings")
struct RecordingFolderTests {
    let folder: TemporaryDirectory
    private let reasons = Reasons()
    private let loop: PollLoop

    init() throws {
        folder = try TemporaryDirectory()
        loop = try PollLoop(name: "files")
    }

    /// What `onStop` was called with.
    private final class Reasons: Sendable {
        private let kept = Mutex<[String]>([])

        func add(_ reason: String) { kept.withLock { $0.append(reason) } }

        var all: [String] { kept.withLock { $0 } }
    }

    private func open(
        _ path: String, maxBytes: Int64 = 1_048_576,
        _ change: (inout RecordingFolder.Limits) -> Void = { _ in }
    ) throws -> RecordingFolder {
        var limits = RecordingFolder.Limits(maxBytes: maxBytes)
        limits.reserveBytes = 0
        change(&limits)
        return try RecordingFolder(path, limits: limits, on: loop) { [reasons] in reasons.add($0) }
    }

    private func names(_ path: String) -> [String] { (try? FolderListing.names(in: path)) ?? [] }

    private func mode(_ path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    private func size(_ path: String) -> Int {
        names(path).reduce(0) { sum, name in
            var status = stat()
            return stat("\(path)/\(name)", &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }

    private func setAge(_ file: String, days: Double) {
        let seconds = Date().timeIntervalSince1970 - days * 86_400
        var times = [
            timeval(tv_sec: Int(seconds), tv_usec: 0), timeval(tv_sec: Int(seconds), tv_usec: 0),
        ]
        utimes(file, &times)
    }

    @Test("is made for its owner alone, whatever the umask, and numbers runs and parts")
    func modes() throws {
        let path = folder.file("recordings")
        let before = umask(0)
        defer { umask(before) }
        for run in 1...2 {
            let recording = try open(path)
            #expect(recording.append(Array("a\n".utf8), startsPart: true))
            #expect(recording.append(Array("b\n".utf8), startsPart: true))
            recording.close(milliseconds: 10_000)
            #expect(names(path).count == 2 * run)
        }
        #expect(mode(path) == 0o700)
        #expect(
            names(path) == [
                "000001-0001.rec.ndjson", "000001-0002.rec.ndjson", "000002-0001.rec.ndjson",
                "000002-0002.rec.ndjson",
            ])
        #expect(names(path).allSatisfy { mode("\(path)/\($0)") == 0o600 })
        #expect(RecordingFolder.openMode(of: path) == nil)
        #expect(reasons.all.isEmpty)
    }

    @Test("that exists keeps its mode, and the mode is told")
    func existing() throws {
        let path = folder.file("recordings")
        mkdir(path, 0o700)
        chmod(path, 0o755)
        let recording = try open(path)
        recording.close(milliseconds: 10_000)
        #expect(mode(path) == 0o755)
        #expect(RecordingFolder.openMode(of: path) == "0755")
    }

    @Test("holds no more than its cap: the oldest file goes, the open one never")
    func cap() throws {
        let path = folder.file("recordings")
        let recording = try open(path, maxBytes: 400_000)
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 49_999) + [10]
        for number in 0..<40 {
            while !recording.append(line, startsPart: number % 2 == 0) { usleep(10_000) }
        }
        recording.close(milliseconds: 20_000)
        #expect(size(path) <= 400_000)
        #expect(size(path) >= 200_000)
        #expect(names(path).last == "000001-0020.rec.ndjson")
        #expect(!names(path).contains("000001-0001.rec.ndjson"))
    }

    @Test("deletes what is older than a week, of other runs too, and nothing else")
    func expiry() throws {
        let path = folder.file("recordings")
        mkdir(path, 0o700)
        for (name, days) in [
            ("000001-0001.rec.ndjson", 6.8), ("000002-0001.rec.ndjson", 6.7),
            ("000003-0001.rec.ndjson", 20_000), ("notes.txt", 100),
        ] {
            _ = FileManager.default.createFile(atPath: "\(path)/\(name)", contents: Data([10]))
            setAge("\(path)/\(name)", days: days)
        }
        let recording = try open(path)
        _ = recording.append([10], startsPart: true)
        recording.close(milliseconds: 10_000)
        // The third was written before the machine's clock was set.
        #expect(
            names(path) == [
                "000002-0001.rec.ndjson", "000003-0001.rec.ndjson", "000004-0001.rec.ndjson",
                "notes.txt",
            ])
    }

    @Test("that is no longer written expires as well")
    func expiresWhileOff() throws {
        let path = folder.file("recordings")
        let limits = RecordingFolder.Limits(maxBytes: 1_048_576)
        #expect(try RecordingFolder(expiring: path, limits: limits, on: loop) == nil)
        mkdir(path, 0o700)
        let file = "\(path)/000001-0001.rec.ndjson"
        _ = FileManager.default.createFile(atPath: file, contents: Data([10]))
        setAge(file, days: 6.8)
        let tended = try #require(
            try RecordingFolder(expiring: path, limits: limits, on: loop))
        for _ in 0..<1000 where !names(path).isEmpty { usleep(10_000) }
        #expect(names(path).isEmpty)
        tended.close(milliseconds: 10_000)
    }

    @Test("refuses lines that its buffer has no room for, without waiting")
    func buffer() throws {
        let recording = try open(folder.file("recordings")) { $0.bufferBytes = 1000 }
        let line = [UInt8](repeating: 32, count: 299) + [10]
        let taken = (0..<2000).filter { recording.append(line, startsPart: $0 == 0) }
        #expect(taken.count < 2000)
        recording.close(milliseconds: 10_000)
        #expect(size(folder.file("recordings")) == taken.count * 300)
    }

    @Test("on a full disk stops once, says so, and goes on taking lines")
    func fullDisk() throws {
        let recording = try open(folder.file("recordings")) {
            // More than any file system has.
            $0.reserveBytes = .max
            $0.reservePart = 2
        }
        #expect(recording.append([10], startsPart: true))
        for _ in 0..<1000 where recording.stopReason == nil { usleep(10_000) }
        #expect(recording.stopReason?.contains("No space left on device") == true)
        for _ in 0..<100 { #expect(recording.append([10], startsPart: true)) }
        recording.close(milliseconds: 10_000)
        #expect(reasons.all.count == 1)
        #expect(size(folder.file("recordings")) == 0)
    }

    @Test("whose folder is taken away stops, too")
    func vanished() throws {
        let path = folder.file("recordings")
        let recording = try open(path)
        try FileManager.default.removeItem(atPath: path)
        #expect(recording.append([10], startsPart: true))
        for _ in 0..<1000 where recording.stopReason == nil { usleep(10_000) }
        #expect(recording.stopReason?.contains("No such file") == true)
        recording.close(milliseconds: 10_000)
        #expect(reasons.all.count == 1)
    }

    @Test("that cannot be made is an error at once")
    func impossible() {
        #expect(throws: SystemError.self) { try open(folder.file("absent/recordings")) }
    }
}
