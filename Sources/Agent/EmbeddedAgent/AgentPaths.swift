import GeofenceAgent
import Glibc

/// Where the agent's files are: the configuration first, then systemd's folders, then the usual
/// places of Debian.
public struct AgentPaths: Sendable, Hashable {
    public static let defaultConfiguration = "/etc/geofenced/geofenced.yaml"
    static let defaultKeyFile = "/etc/geofenced/api-key"

    public var stateDirectory: String
    public var socket: String
    /// In memory: gone with the machine, and there need be none.
    public var runtimeDirectory: String
    public var recordings: String
    /// The key is read from here; nil in standalone mode.
    public var keyFile: String?

    /// From a configuration and the environment of systemd.exec(5).
    public init(
        _ configuration: AgentConfiguration,
        environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) {
        stateDirectory =
            configuration.stateDirectory ?? Self.first(of: environment("STATE_DIRECTORY"))
            ?? "/var/lib/geofenced"
        recordings = configuration.recording.directory ?? "\(stateDirectory)/recordings"
        runtimeDirectory = Self.first(of: environment("RUNTIME_DIRECTORY")) ?? "/run/geofenced"
        socket = configuration.socket ?? "\(runtimeDirectory)/control.sock"
        guard let server = configuration.server else { return }
        keyFile = server.keyFile ?? Self.credential(environment) ?? Self.defaultKeyFile
    }

    /// The key that systemd loaded for this unit; nil: a unit without LoadCredential= for it.
    private static func credential(_ environment: (String) -> String?) -> String? {
        guard let path = environment("CREDENTIALS_DIRECTORY").map({ "\($0)/api-key" }),
            access(path, F_OK) == 0
        else { return nil }
        return path
    }

    /// systemd separates several folders by colons.
    private static func first(of folders: String?) -> String? {
        folders?.split(separator: ":").first.map(String.init)
    }
}
