import Glibc

/// A system call that failed: which one, on what, and why.
public struct SystemError: Error, Hashable, CustomStringConvertible {
    /// The function of the manual, "open".
    public let operation: String
    /// The path or address; empty where there is none.
    public let subject: String
    /// The errno, or `notRegular`.
    public let code: Int32

    /// In place of an errno, for which the kernel has none: a pipe where a file was expected.
    public static let notRegular: Int32 = -1

    public init(_ operation: String, _ subject: String = "", code: Int32) {
        self.operation = operation
        self.subject = subject
        self.code = code
    }

    /// The failure of the call that was just made.
    static func last(_ operation: String, _ subject: String = "") -> SystemError {
        SystemError(operation, subject, code: errno)
    }

    /// The words of strerror(3).
    public var reason: String {
        code == Self.notRegular ? "not a regular file" : String(cString: strerror(code))
    }

    public var description: String {
        subject.isEmpty ? "\(operation): \(reason)" : "\(operation) \(subject): \(reason)"
    }
}
