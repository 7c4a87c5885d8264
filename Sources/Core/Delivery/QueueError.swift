/// Why the queue could not do what it was asked.
public enum QueueError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process holds the queue; `pid` is nil where it could not be read.
    case heldByAnotherProcess(path: String, pid: Int32?)
    /// A newer version of the program made the file; it was left untouched.
    case newerVersion(path: String, found: Int, supported: Int)
    /// The storage failed; `detail` is what it said.
    case storage(path: String, detail: String)
    /// An event cannot be written as JSON (a number that is not finite).
    case unencodable(detail: String)
    case closed

    public var description: String {
        switch self {
        case .heldByAnotherProcess(let path, let pid):
            "\(path) is in use by \(pid.map { "process \($0)" } ?? "another process")"
        case .newerVersion(let path, let found, let supported):
            "\(path) has version \(found), this program knows up to \(supported)"
        case .storage(let path, let detail): "\(path): \(detail)"
        case .unencodable(let detail): "the event cannot be written as JSON: \(detail)"
        case .closed: "the queue is closed"
        }
    }
}
