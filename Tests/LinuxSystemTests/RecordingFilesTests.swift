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
}
