/// Whether the agent may know where the device is, in the words of phones: schema
/// `geofenced.permissions/1`.
///
/// Invariants:
/// - `grantedAlways` means that events are found, kept and sent without a person, also after the
///   next start of the machine; everything that is missing for that is named by `nextAction`.
/// - There is always one next action, the one that is needed first.
public struct PermissionStatus: Codable, Hashable, Sendable {
    public private(set) var schema = "geofenced.permissions/1"
    public var status: Level
    /// What was seen.
    public var reason: String
    /// What a person does next.
    public var nextAction: String

    enum CodingKeys: String, CodingKey {
        case schema, status, reason
        case nextAction = "next_action"
    }

    public enum Level: String, Codable, Hashable, Sendable, CaseIterable {
        /// Nobody knows yet: not tried, no receiver, or no fix so far.
        case notDetermined
        /// There is a receiver, and it may not be opened.
        case denied
        /// The receiver opens and gives a precise fix; nothing works by itself yet.
        case grantedWhenInUse
        /// Also: the unit is enabled, the state directory takes writes, the key can be read.
        case grantedAlways

        /// How much is granted, to compare levels; both that grant nothing are 0.
        public var rank: Int {
            switch self {
            case .notDetermined, .denied: 0
            case .grantedWhenInUse: 1
            case .grantedAlways: 2
            }
        }
    }

    public init(_ status: Level, reason: String, nextAction: String) {
        self.status = status
        self.reason = reason
        self.nextAction = nextAction
    }

    /// Judges what was seen.
    public init(_ facts: PermissionFacts) {
        switch facts.receiver {
        case .notTried:
            self.init(
                .notDetermined, reason: "the receiver was not tried yet",
                nextAction: "run 'geofenced status --permissions' or requestPermissions()")
        case .missing(let detail):
            self.init(
                .notDetermined, reason: detail,
                nextAction: "connect a receiver, or name it in receiver.path")
        case .refused(let detail):
            self.init(
                .denied, reason: detail,
                nextAction: "let this user open the receiver: add it to the port's group "
                    + "(usermod -aG dialout USER), or stop the program that holds the port")
        case .noFix(let detail):
            self.init(
                .notDetermined, reason: detail,
                nextAction: "give the antenna a clear view of the sky and wait for a fix")
        case .fix(let detail):
            self = Self.withFix(detail, facts)
        }
    }

    private static func withFix(_ detail: String, _ facts: PermissionFacts) -> PermissionStatus {
        func inUse(_ reason: String, _ action: String) -> PermissionStatus {
            PermissionStatus(
                .grantedWhenInUse, reason: "\(detail); \(reason)", nextAction: action)
        }
        if let problem = facts.stateDirectory.problem {
            let path = facts.stateDirectory.path
            return inUse(
                "state directory \(path): \(problem)",
                facts.stateDirectory.remedy ?? "let this user write to \(path)")
        }
        if let credential = facts.credential, let problem = credential.problem {
            return inUse(
                "key \(credential.path): \(problem)",
                credential.remedy
                    ?? "write the device key to \(credential.path), mode 0600 or 0640")
        }
        switch facts.service {
        case .enabled(let unit):
            return PermissionStatus(
                .grantedAlways, reason: "\(detail); \(unit) is enabled",
                nextAction: "nothing to do")
        case .disabled(let unit):
            return inUse("\(unit) is not enabled", "systemctl enable --now \(unit)")
        case .notInstalled(let unit):
            return inUse("\(unit) is not installed", "install \(unit) and enable it")
        }
    }
}
