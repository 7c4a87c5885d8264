import GeofenceAgent

/// Why the agent cannot start: one sentence that names the place and the value.
public struct StartError: Error, Hashable, CustomStringConvertible {
    public var kind: Kind
    public var message: String
    /// For `.permission`.
    public var permission: PermissionStatus?

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    init(_ permission: PermissionStatus) {
        kind = .permission
        message = "\(permission.status.rawValue): \(permission.reason); \(permission.nextAction)"
        self.permission = permission
    }

    public enum Kind: Hashable, Sendable {
        /// Starting again changes nothing until somebody changes the configuration, or what is
        /// installed (exit 78).
        case configuration
        /// May pass: storage, another instance.
        case environment
        /// A person has to do `permission.nextAction` first.
        case permission
    }

    public var description: String { message }
}
