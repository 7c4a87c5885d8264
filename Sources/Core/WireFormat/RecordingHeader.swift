import Timekeeping

/// The first line of a recording, repeated where a file was rotated.
public struct RecordingHeader: Hashable, Sendable, Codable {
    public static let schema = "geofence.recording/1"

    public var schema: String
    public var agentVersion: String?
    public var receiver: String?
    public var rules: WireRules?
    /// The earliest date that a receiver may mean, by the agent that recorded.
    public var buildFloor: WireTime?
    /// `vehicle` or `kiosk`, which implies rules; nil: `vehicle`.
    public var profile: String?
    /// The whole configuration, without secrets.
    public var configuration: JSONValue?
    /// What a replay needs beyond the rules; nil in recordings that nobody's agent made.
    public var run: Run?

    public init(
        agentVersion: String? = nil, receiver: String? = nil, rules: WireRules? = nil,
        buildFloor: UTCTime? = nil, profile: String? = nil, configuration: JSONValue? = nil,
        run: Run? = nil
    ) {
        schema = Self.schema
        self.agentVersion = agentVersion
        self.receiver = receiver
        self.rules = rules
        self.buildFloor = buildFloor.map(WireTime.init)
        self.profile = profile
        self.configuration = configuration
        self.run = run
    }

    enum CodingKeys: String, CodingKey {
        case schema, receiver, rules, profile, configuration, run
        case agentVersion = "agent_version"
        case buildFloor = "build_floor"
    }

    /// One run of an agent, which is one recording of one or more parts.
    ///
    /// Its presence says that pauses, ticks and decisions are in the recording: a replay takes them
    /// from there, derives none, and compares what it decides.
    public struct Run: Hashable, Sendable, Codable {
        /// Names the run: boot and uptime of its start.
        public var id: String
        /// Counted from 1; parts of the same run follow each other without a gap.
        public var part: Int
        public var bootID: String
        /// Uptime of the boot at `m` = 0, milliseconds.
        public var startedMilliseconds: Int64
        /// The last trusted time of this boot when the run began; nil: none yet.
        public var trustedTime: WireTime?
        /// Its uptime of the boot, milliseconds.
        public var trustedMilliseconds: Int64?

        public init(
            bootID: BootID, started: Uptime, trustedTime: UTCTime? = nil,
            trustedUptime: Uptime? = nil
        ) {
            id = "\(bootID.text)-\(started.milliseconds)"
            part = 1
            self.bootID = bootID.text
            startedMilliseconds = started.milliseconds
            self.trustedTime = trustedTime.map(WireTime.init)
            trustedMilliseconds = trustedUptime?.milliseconds
        }

        enum CodingKeys: String, CodingKey {
            case id, part
            case bootID = "boot_id"
            case startedMilliseconds = "mono_ms"
            case trustedTime = "trusted_time"
            case trustedMilliseconds = "trusted_mono_ms"
        }
    }
}
