import Foundation

/// A folder of its own for one test, removed with everything in it when the value goes away.
public final class TemporaryDirectory: Sendable {
    /// Absolute path without a trailing slash.
    public let path: String

    /// Throws where the system refuses the folder.
    public init() throws {
        var template = Array("\(Self.root)/geofenced-test.XXXXXX".utf8CString)
        // Its answer points into the array, and only for as long as the call.
        guard mkdtemp(&template) != nil else { throw SetupError(code: errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
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
