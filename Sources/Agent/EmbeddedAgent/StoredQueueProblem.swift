import AgentStorage
import Delivery
import Glibc

/// Why the queue on the disk cannot be read, and what a person does about it.
public struct StoredQueueProblem: Error, Hashable, CustomStringConvertible {
    public var description: String
    /// Nothing changes until somebody changes what is installed (exit 78).
    public var isOfInstallation = false

    /// What already looking for the queue in a state directory shows; nil: it is there, and may be
    /// read.
    public init?(at directory: String) {
        guard access("\(directory)/queue.db", R_OK) != 0 else { return nil }
        switch errno {
        case ENOENT: description = "no queue yet in \(directory): the agent has not run"
        case EACCES, EPERM:
            description = "no permission for \(directory): it is the agent's own, use sudo"
        case let code: description = "\(directory): \(String(cString: strerror(code)))"
        }
    }

    /// What opening or reading it ended with, without SQL.
    public init(_ error: QueueError) {
        switch error {
        case .newerVersion:
            description = "\(error): install the newer geofenced"
            isOfInstallation = true
        case .storage(let path, _):
            description =
                "\(path) is no sound queue, or cannot be read now: `geofenced doctor` says more"
        case .heldByAnotherProcess, .unencodable, .closed: description = "\(error)"
        }
    }
}
