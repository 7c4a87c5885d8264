/// Why the agent cannot start: one sentence that names the place and the value.
public struct StartError: Error, Hashable, CustomStringConvertible {
    public var kind: Kind
    public var message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    public enum Kind: Hashable, Sendable {
        /// Starting again changes nothing until somebody changes the configuration (exit 78).
        case configuration
        /// May pass: storage, another instance.
        case environment
    }

    public var description: String { message }
}
