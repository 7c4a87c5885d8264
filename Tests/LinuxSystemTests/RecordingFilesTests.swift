import Glibc
import TestSupport
import Testing

@testable import LinuxSystem

@Suite("The files of a recording folder")
struct RecordingFilesTests {
    @Test("the first lines of a part are on the disk at once, the others later")
    func durability() throws {
        let folder = try TemporaryDirectory()
        var limits = RecordingFolder.Limits(maxBytes: 1_048_576)
        limits.reserveBytes = 0
        var files = RecordingFiles(folder.path, run: 1, limits: limits)
        for part in 1...2 {
            try files.write(Array("header\n".utf8), startsPart: true)
            let isHeaderDurable = files.isDurable
            #expect(isHeaderDurable, "part \(part)")
            try files.write(Array("record\n".utf8), startsPart: false)
            let isRecordDurable = files.isDurable
            #expect(!isRecordDurable, "part \(part)")
        }
    }

    private static let day: Int64 = 86_400
    private static let noon: Int64 = 1_900_000_000

    private func names(_ folder: TemporaryDirectory) throws -> Set<String> {
        Set(try FolderListing.names(in: folder.path))
    }

    private func setTime(_ path: String, _ seconds: Int64) {
        var times = [timeval](repeating: timeval(tv_sec: Int(seconds), tv_usec: 0), count: 2)
        utimes(path, &times)
    }

    /// A line a minute for ten days, in parts of the longest span: after each pass the oldest line of
    /// every file that is left is at most seven days old.
    @Test("no line is older than seven days after any hourly pass")
    func strict() throws {
        let folder = try TemporaryDirectory()
        let limits = RecordingFolder.Limits(maxBytes: 1 << 30)
        // The cleaning process is another one than those that wrote: it has the files' times alone.
        var cleaner = RecordingFiles(folder.path, run: 9, limits: limits)
        var firstLines: [String: Int64] = [:]
        var part = 0
        for hour in Int64(0)...240 {
            let clock = Self.noon + hour * 3600
            // The last line of a part comes just before the first of the next.
            let lastLine = clock - 1
            if hour % (limits.partSeconds / 3600) == 0 {
                part += 1
                let name = "000001-" + String(10_000 + part).dropFirst() + ".rec.ndjson"
                firstLines[name] = clock
                try FileContents.replace("\(folder.path)/\(name)", with: [10])
                setTime("\(folder.path)/\(name)", clock)
            }
            for name in try names(folder) {
                guard let first = firstLines[name], lastLine - first < limits.partSeconds,
                    lastLine >= first
                else { continue }
                setTime("\(folder.path)/\(name)", lastLine)
            }
            cleaner.expire(at: hour * 3_600_000, clock: clock)
            let kept = try names(folder).compactMap { firstLines[$0] }
            let oldest = try #require(kept.min())
            #expect(clock - oldest <= 7 * Self.day, "after \(hour) h")
            // What is younger than six days and a half is kept.
            if hour > 156 { #expect(clock - oldest >= 13 * Self.day / 2, "after \(hour) h") }
        }
        #expect(part == 41)
    }

    @Test(
        "the open file goes as well when nothing was recorded for a week, also without a clock",
        arguments: [noon, 1000])
    func openFile(clock: Int64) throws {
        let folder = try TemporaryDirectory()
        var limits = RecordingFolder.Limits(maxBytes: 1 << 20)
        limits.reserveBytes = 0
        var files = RecordingFiles(folder.path, run: 1, limits: limits)
        try files.write(Array("header\n".utf8), startsPart: true)
        let name = "000001-0001.rec.ndjson"
        setTime("\(folder.path)/\(name)", clock)
        let start = SystemTimekeeper().uptime.milliseconds
        for hour in Int64(0)...161 {
            files.expire(at: start + hour * 3_600_000, clock: clock + hour * 3600)
            #expect(try names(folder) == [name], "after \(hour) h")
        }
        files.expire(at: start + 162 * 3_600_000, clock: clock + 162 * 3600)
        #expect(try names(folder).isEmpty)
        // The recorder's next line begins a part; one that does not has no place.
        try files.write(Array("late\n".utf8), startsPart: false)
        #expect(try names(folder).isEmpty)
        try files.write(Array("header\n".utf8), startsPart: true)
        #expect(try names(folder) == ["000001-0002.rec.ndjson"])
    }

    @Test("a file from a clock that ran ahead is no younger than the day on which that is seen")
    func future() throws {
        let folder = try TemporaryDirectory()
        let limits = RecordingFolder.Limits(maxBytes: 1 << 20)
        let name = "000001-0001.rec.ndjson"
        try FileContents.replace("\(folder.path)/\(name)", with: [10])
        setTime("\(folder.path)/\(name)", Self.noon + 400 * Self.day)
        var files = RecordingFiles(folder.path, run: 2, limits: limits)
        for day in Int64(0)...6 {
            files.expire(at: day * 86_400_000, clock: Self.noon + day * Self.day)
            #expect(try names(folder) == [name], "on day \(day)")
        }
        files.expire(at: 7 * 86_400_000, clock: Self.noon + 7 * Self.day)
        #expect(try names(folder).isEmpty)
    }
}
