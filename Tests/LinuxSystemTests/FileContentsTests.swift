import Foundation
import LinuxSystem
import TestSupport
import Testing

@Suite("File contents")
struct FileContentsTests {
    let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test("a replaced file holds the new bytes under the given mode", arguments: [0o600, 0o640])
    func replaces(mode: mode_t) throws {
        let path = folder.file("state")
        try FileContents.replace(path, with: Array("old".utf8))
        try FileContents.replace(path, with: Array("newer".utf8), mode: mode)
        #expect(try FileContents.read(path, limit: 100) == Array("newer".utf8))
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == mode)
        #expect(try FolderListing.names(in: folder.path) == ["state"])
    }

    @Test("a failed replacement leaves the old file and nothing else")
    func keepsTheOldFile() throws {
        let path = folder.file("folder")
        try FileManager.default.createDirectory(
            atPath: path + "/occupied", withIntermediateDirectories: true)
        #expect(throws: SystemError("rename", path, code: EISDIR)) {
            try FileContents.replace(path, with: [1])
        }
        #expect(try FolderListing.names(in: folder.path) == ["folder"])
        #expect(throws: SystemError.self) {
            try FileContents.replace(folder.file("absent/state"), with: [1])
        }
    }

    @Test(
        "a pipe is refused at once, and waited for only where that is asked",
        .timeLimit(.minutes(1)))
    func pipes() async throws {
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        #expect(throws: SystemError("read", path, code: SystemError.notRegular)) {
            try FileContents.read(path, limit: 100)
        }
        #expect(FileContents.line(path) == nil)
        let writer = Thread { try? "fence".write(toFile: path, atomically: false, encoding: .utf8) }
        writer.start()
        #expect(try FileContents.read(path, limit: 100, orPipe: true) == Array("fence".utf8))
    }

    @Test(
        "reading stops at the limit",
        arguments: [(0, true), (4, true), (5, false), (100_000, false)])
    func limits(limit: Int, isRefused: Bool) throws {
        let path = folder.file("five")
        try FileContents.replace(path, with: [1, 2, 3, 4, 5])
        if isRefused {
            #expect(throws: SystemError("read", path, code: EFBIG)) {
                try FileContents.read(path, limit: limit)
            }
        } else {
            #expect(try FileContents.read(path, limit: limit) == [1, 2, 3, 4, 5])
        }
    }

    @Test(
        "the line of a file is its first, without what stands around it",
        arguments: [
            ("abc\n", "abc"), ("  abc \t\r\nnext\n", "abc"), ("10000000abcdef\0", "10000000abcdef"),
            ("", nil), ("\n", nil), ("a\u{1}b", nil), ("\0\0", nil),
        ] as [(String, String?)])
    func readsALine(contents: String, line: String?) throws {
        let path = folder.file("line")
        try FileContents.replace(path, with: Array(contents.utf8))
        #expect(FileContents.line(path) == line)
        #expect(FileContents.line(folder.file("absent")) == nil)
    }

    @Test("an error names call, subject and reason")
    func explainsErrors() {
        let path = folder.file("absent")
        let error = SystemError("open", path, code: ENOENT)
        #expect(throws: error) { try FileContents.read(path, limit: 1) }
        #expect("\(error)" == "open \(path): No such file or directory")
        #expect("\(SystemError("pipe2", code: EMFILE))" == "pipe2: Too many open files")
    }
}
