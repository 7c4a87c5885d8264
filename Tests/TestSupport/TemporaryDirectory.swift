import Foundation

/// A folder of its own for one test, removed with everything in it when the value goes away.
public final class TemporaryDirectory: Sendable {
    /// Absolute path without a trailing slash.
    public let path: String

    /// Throws where the system refuses the folder.
    public init() throws {
        var template = Array("\(Self.root)/geofenced-test.XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw SetupError(code: errno) }
        path = String(cString: made)
    }

    /// The path of an entry of this folder.
    public func file(_ name: String) -> String { "\(path)/\(name)" }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    private static var root: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

    /// The errno of `mkdtemp`.
    public struct SetupError: Error {
        public let code: Int32
    }
}
