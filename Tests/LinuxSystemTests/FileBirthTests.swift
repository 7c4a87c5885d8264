import Foundation
import TestSupport
import Testing

@testable import LinuxSystem

@Suite("When a file was made")
struct FileBirthTests {
    // Older kernels keep it on disks only, and the temporary folder may be in memory.
    @Test(
        "differs between a file and its copy, and stays when the file is written or renamed",
        .enabled(
            if: FileBirth.nanoseconds(of: NSTemporaryDirectory()) != nil,
            "the temporary folder's file system does not keep when a file was made"))
    func copies() throws {
        let directory = try TemporaryDirectory()
        let (file, moved) = (directory.file("a"), directory.file("b"))
        try Data("one".utf8).write(to: URL(fileURLWithPath: file))
        let birth = try #require(FileBirth.nanoseconds(of: file))
        let handle = try #require(FileHandle(forWritingAtPath: file))
        try handle.write(contentsOf: Data("another".utf8))
        try handle.close()
        #expect(FileBirth.nanoseconds(of: file) == birth)
        try FileManager.default.moveItem(atPath: file, toPath: moved)
        #expect(FileBirth.nanoseconds(of: moved) == birth)
        try FileManager.default.copyItem(atPath: moved, toPath: file)
        #expect(FileBirth.nanoseconds(of: file) != birth)
    }

    @Test("is nil for a file that is not there")
    func absent() throws {
        #expect(FileBirth.nanoseconds(of: try TemporaryDirectory().file("none")) == nil)
    }
}
