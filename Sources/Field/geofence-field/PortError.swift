import Glibc

/// A system call of the simulated port that failed, with the system's words.
struct PortError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// The failure of the call that was just made.
    static func last(_ what: String) -> PortError {
        PortError("\(what): \(String(cString: strerror(errno)))")
    }
}
