/// What was seen of the things that the agent needs from its device; found out by an adapter,
/// judged by `PermissionStatus`.
public struct PermissionFacts: Hashable, Sendable {
    public var receiver: Receiver
    public var service: Service
    public var stateDirectory: Place
    /// Nil: no server is configured, so no key is needed.
    public var credential: Place?

    public init(
        receiver: Receiver, service: Service, stateDirectory: Place, credential: Place?
    ) {
        self.receiver = receiver
        self.service = service
        self.stateDirectory = stateDirectory
        self.credential = credential
    }

    /// What became of opening the source of positions.
    public enum Receiver: Hashable, Sendable {
        /// Nobody has tried yet.
        case notTried
        /// There is none; `detail` says where it was looked for.
        case missing(detail: String)
        /// It is there and may not be opened; `detail` names the path and the group or the holder.
        case refused(detail: String)
        /// It opens and there is no fix that the quality gate accepts; `detail` says what is heard.
        case noFix(detail: String)
        /// It opens and gives a fix that the quality gate accepts, or it is a fixed position.
        case fix(detail: String)
    }

    /// Whether the agent is started without a person.
    public enum Service: Hashable, Sendable {
        /// At every start of the machine.
        case enabled(unit: String)
        /// Installed, but not started by itself.
        case disabled(unit: String)
        case notInstalled(unit: String)
    }

    /// A file or folder that the agent needs.
    public struct Place: Hashable, Sendable {
        public var path: String
        /// Why it cannot be used, in words; nil: it can.
        public var problem: String?
        /// What a person does about the problem; nil: what is usual for such a place.
        public var remedy: String?

        public init(path: String, problem: String? = nil, remedy: String? = nil) {
            self.path = path
            self.problem = problem
            self.remedy = remedy
        }
    }
}
