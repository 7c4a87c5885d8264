import Glibc

/// Standard output does not take what is written to it.
public enum OutputError: Error, Hashable, CustomStringConvertible {
    /// Nobody reads any more (EPIPE), as under `| head`: stop, and say nothing.
    case closed
    /// The errno of write(2), such as ENOSPC.
    case failed(Int32)

    public var description: String {
        switch self {
        case .closed: "nobody reads the output any more"
        case .failed(let code): "cannot write the output: \(String(cString: strerror(code)))"
        }
    }
}
