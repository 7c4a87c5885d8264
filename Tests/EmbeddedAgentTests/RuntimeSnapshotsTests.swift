import Foundation
import GeofenceAgent
import TestSupport
import Testing

@testable import EmbeddedAgent

@Suite("The snapshots of the runtime directory")
struct RuntimeSnapshotsTests {
    let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test("each slot holds what was written to it last, for its owner alone")
    func slots() throws {
        let snapshots = try #require(RuntimeSnapshots(directory: folder.path))
        #expect(snapshots.read(0) == nil)
        try snapshots.write([1], to: 0)
        try snapshots.write([2, 2], to: 1)
        try snapshots.write([3, 3, 3], to: 0)
        #expect(snapshots.read(0) == [3, 3, 3] && snapshots.read(1) == [2, 2])
        var status = stat()
        #expect(stat(folder.file("snapshot-0"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("what a killed process left half written is in nobody's way")
    func leftOver() throws {
        let snapshots = try #require(RuntimeSnapshots(directory: folder.path))
        try snapshots.write([1], to: 0)
        try Data([9]).write(to: URL(fileURLWithPath: folder.file("snapshot-0.new")))
        #expect(snapshots.read(0) == [1])
        try snapshots.write([2], to: 0)
        #expect(snapshots.read(0) == [2])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["snapshot-0"])
    }

    @Test("a link is not followed, a slot that cannot be replaced keeps what it has and says so")
    func refused() throws {
        let snapshots = try #require(RuntimeSnapshots(directory: folder.path))
        let other = folder.file("other")
        try Data([7]).write(to: URL(fileURLWithPath: other))
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("snapshot-0.new"), withDestinationPath: other)
        #expect(throws: SnapshotStoreError.self) { try snapshots.write([1], to: 0) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == Data([7]))
        try FileManager.default.createDirectory(
            atPath: folder.file("snapshot-1/full"), withIntermediateDirectories: true)
        #expect(throws: SnapshotStoreError.self) { try snapshots.write([1], to: 1) }
        #expect(snapshots.read(1) == nil)
    }

    @Test("without the directory there are none", arguments: ["absent", "file"])
    func absent(name: String) throws {
        try Data().write(to: URL(fileURLWithPath: folder.file("file")))
        #expect(RuntimeSnapshots(directory: folder.file(name)) == nil)
    }
}
