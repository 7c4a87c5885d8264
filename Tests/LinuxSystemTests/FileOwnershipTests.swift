import Foundation
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@Suite("Whose a replaced file is")
struct FileOwnershipTests {
    let folder: TemporaryDirectory
    private static let nobody: uid_t = 65_534

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test("a file that is not there has no owner, one that is has its own")
    func found() throws {
        let path = folder.file("key")
        #expect(try FileOwnership(of: path) == nil)
        try FileContents.replace(path, with: [1], mode: 0o640)
        let found = try #require(try FileOwnership(of: path))
        #expect(found == FileOwnership(owner: geteuid(), group: found.group, mode: 0o640))
        #expect(throws: SystemError.self) { _ = try FileOwnership(of: "\(path)/below") }
    }

    @Test(
        "the new file belongs to whom it is for, and has that mode",
        .enabled(if: getuid() == 0, "needs root"), arguments: [0o640, 0o600, 0o440, 0o400])
    func given(mode: mode_t) throws {
        let path = folder.file("key")
        let access = FileOwnership(owner: Self.nobody, group: 12, mode: mode)
        try FileContents.replace(path, with: [1, 2], access: access)
        #expect(try FileOwnership(of: path) == access)
        #expect(try FileContents.read(path, limit: 10) == [1, 2])
    }

    @Test(
        "who may not give a file away changes nothing",
        .enabled(if: getuid() == 0, "needs root"))
    func refused() throws {
        let path = folder.file("key")
        try FileContents.replace(path, with: [1])
        chown(folder.path, Self.nobody, 0)
        let access = try #require(try FileOwnership(of: path))
        let error = asNobody { try FileContents.replace(path, with: [2], access: access) }
        #expect(error?.operation == "fchown" && error?.code == EPERM)
        #expect(try FileContents.read(path, limit: 10) == [1])
        #expect(try FolderListing.names(in: folder.path) == ["key"])
        #expect(try FileOwnership(of: path) == access)
    }

    @Test(
        "where only the folder cannot be synchronised the new file is in place, the error names it",
        .enabled(if: getuid() == 0, "needs root"))
    func unsynchronised() throws {
        let path = folder.file("key")
        try FileContents.replace(path, with: [1])
        chown(folder.path, Self.nobody, 0)
        chmod(folder.path, 0o300)
        let error = asNobody { try FileContents.replace(path, with: [2]) }
        chmod(folder.path, 0o700)
        #expect(error == SystemError("open", folder.path, code: EACCES))
        #expect(try FileContents.read(path, limit: 10) == [2])
    }

    /// Runs it on a thread for which the file system's permissions are those of nobody: setfsuid(2)
    /// counts for one thread, and takes its capabilities over files.
    private func asNobody(_ body: @escaping @Sendable () throws -> Void) -> SystemError? {
        let result = Outcome()
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            typealias SetUser = @convention(c) (uid_t) -> Int32
            if let symbol = dlsym(nil, "setfsuid") {
                _ = unsafeBitCast(symbol, to: SetUser.self)(Self.nobody)
                do { try body() } catch { result.keep(error as? SystemError) }
            }
            done.signal()
        }
        thread.start()
        done.wait()
        return result.error
    }

    private final class Outcome: Sendable {
        private let state = Mutex<SystemError?>(nil)
        var error: SystemError? { state.withLock { $0 } }
        func keep(_ error: SystemError?) { state.withLock { $0 = error } }
    }
}
