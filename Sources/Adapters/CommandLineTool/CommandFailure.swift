/// A command ends without success: why, in words for a person, and with which status.
public struct CommandFailure: Error, Hashable, CustomStringConvertible {
    public let message: String
    public let status: ExitCode

    public init(_ message: String, status: ExitCode = .failure) {
        self.message = message
        self.status = status
    }

    public var description: String { message }
}
