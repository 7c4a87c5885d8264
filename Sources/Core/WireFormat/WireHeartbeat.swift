import Timekeeping

/// The body of `POST /v1/devices/{id}/heartbeat`.
public struct WireHeartbeat: Hashable, Sendable, Codable {
    public var deviceID: WireID
    public var sentAt: WireTime
    public var bootID: String
    public var agentVersion = ProjectVersion.current
    /// Seconds since the agent started.
    public var runningSeconds: Double
    public var status: Status
    public var queue: EventBatch.Queue
    /// The last accepted fix; nil: there was none.
    public var lastFix: LastFix?
    /// Of the last epoch of the receiver, accepted or not.
    public var integrityFlags: [String]

    enum CodingKeys: String, CodingKey {
        case status, queue
        case deviceID = "device_id"
        case sentAt = "sent_at"
        case bootID = "boot_id"
        case agentVersion = "agent_version"
        case runningSeconds = "running_s"
        case lastFix = "last_fix"
        case integrityFlags = "integrity_flags"
    }

    public init(
        deviceID: String, sentAt: UTCTime, bootID: BootID, runningSeconds: Double,
        status: Status, queue: EventBatch.Queue, lastFix: LastFix?, integrityFlags: [String]
    ) {
        self.deviceID = WireID(deviceID)
        self.sentAt = WireTime(sentAt)
        self.bootID = bootID.text
        self.runningSeconds = runningSeconds
        self.status = status
        self.queue = queue
        self.lastFix = lastFix
        self.integrityFlags = integrityFlags
    }

    /// The words of `geofenced status`, without what only a person beside the device needs.
    public struct Status: Hashable, Sendable, Codable {
        public var receiver: String
        /// Why the receiver is not well; nil while it is.
        public var reason: String?
        /// gnss | ntp | none
        public var clock: String
        /// durable | storageReadOnly | diskFull
        public var storage: String
        public var checkIn: String
        public var fencesKnown: Int
        public var fencesMonitored: Int
        /// A `CoverageStatus`.
        public var coverage: String
        /// Of the fences and the configuration in force; nil: none yet.
        public var configRevision: Int?
        /// off | recording | stopped
        public var recording: String

        enum CodingKeys: String, CodingKey {
            case receiver, reason, clock, storage, coverage, recording
            case checkIn = "checkin"
            case fencesKnown = "fences_known"
            case fencesMonitored = "fences_monitored"
            case configRevision = "config_revision"
        }

        public init(
            receiver: String, reason: String?, clock: String, storage: String, checkIn: String,
            fencesKnown: Int, fencesMonitored: Int, coverage: String, configRevision: Int?,
            recording: String
        ) {
            self.receiver = receiver
            self.reason = reason
            self.clock = clock
            self.storage = storage
            self.checkIn = checkIn
            self.fencesKnown = fencesKnown
            self.fencesMonitored = fencesMonitored
            self.coverage = coverage
            self.configRevision = configRevision
            self.recording = recording
        }
    }

    public struct LastFix: Hashable, Sendable, Codable {
        public var ageSeconds: Double
        public var position: WirePosition

        enum CodingKeys: String, CodingKey {
            case position
            case ageSeconds = "age_s"
        }

        public init(ageSeconds: Double, position: WirePosition) {
            self.ageSeconds = ageSeconds
            self.position = position
        }
    }
}
