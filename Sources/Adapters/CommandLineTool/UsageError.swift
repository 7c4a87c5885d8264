/// A command line that is refused; the message names the argument and says what is accepted.
public struct UsageError: Error, Hashable, CustomStringConvertible {
    public let message: String

    public init(_ message: String) {
        self.message = message
    }

    public var description: String { message }
}
