/// One argument that a command takes by its place.
public struct CommandPositional: Hashable, Sendable {
    /// Upper case, as help shows it: "FILE".
    public var name: String
    /// One phrase for help, lower case, without a full stop.
    public var summary: String
    public var arity: Arity
    /// The only values that are accepted; nil for any.
    public var allowedValues: [String]?

    public enum Arity: Hashable, Sendable {
        case required
        case optional
        /// One or more; only the last positional may be repeated.
        case repeated
        /// Any number, none included; only the last positional may be so.
        case any
    }

    public init(
        _ name: String, _ summary: String, _ arity: Arity = .required,
        oneOf allowedValues: [String]? = nil
    ) {
        self.name = name
        self.summary = summary
        self.arity = arity
        self.allowedValues = allowedValues
    }

    var isRequired: Bool { arity == .required || arity == .repeated }
    var takesMany: Bool { arity == .repeated || arity == .any }

    /// "FILE", "[FILE]", "FILE...", "[FILE...]"
    var usage: String {
        switch arity {
        case .required: name
        case .optional: "[\(name)]"
        case .repeated: "\(name)..."
        case .any: "[\(name)...]"
        }
    }
}
