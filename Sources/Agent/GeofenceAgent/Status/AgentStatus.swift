import WireFormat

/// What `geofenced status --json` prints, schema `geofenced.status/1`.
///
/// The parts stand in the order in which a person in front of a silent device asks: does the
/// receiver talk, is there a fix, what time is it, does the server answer, what waits, where am I.
public struct AgentStatus: Codable, Sendable {
    public var schema = "geofenced.status/1"
    public var version = ProjectVersion.current
    public var deviceID: String
    /// Seconds since the agent started.
    public var runningSeconds: Double
    public var receiver: Receiver
    public var fix: Fix
    public var clock: Clock
    public var server: Server?
    public var queue: Queue
    public var fences: Fences
    public var lastEvent: LastEvent?
    /// What the kiosk shows as one word.
    public var checkIn: CheckIn
    public var recording = Recording(state: "off")
    /// Nil: no positions are kept.
    public var breadcrumbs: Breadcrumbs?
    public var notifications = Notifications()

    enum CodingKeys: String, CodingKey {
        case schema, version, receiver, fix, clock, server, queue, fences, recording, notifications
        case breadcrumbs
        case deviceID = "device_id"
        case runningSeconds = "running_s"
        case lastEvent = "last_event"
        case checkIn = "checkin"
    }

    public struct Breadcrumbs: Codable, Sendable {
        /// Positions on the disk.
        public var kept: Int64
        /// Gave way to newer ones or to events, since the start.
        public var dropped: Int64
        /// Could not be written, since the start.
        public var lost: Int64
    }

    public struct Recording: Codable, Sendable {
        /// `off`, `recording` or `stopped`.
        public var state: String
        /// Why it stopped.
        public var reason: String?

        public init(state: String, reason: String? = nil) {
            self.state = state
            self.reason = reason
        }
    }

    public struct Receiver: Codable, Sendable {
        /// A state of `SourceHealth`.
        public var state: String
        /// What was seen and what to check; empty while all is well.
        public var reason: String
        /// Nil while nothing is open.
        public var device: String?
        public var baud: Int?
        /// Over the last seconds.
        public var bytesPerSecond: Double
        public var acceptedSentences: Int
        public var rejectedSentences: Int
        /// Times that a device was opened since the start.
        public var openings: Int
        /// Times that the receiver hung up since the start.
        public var hangUps: Int
        /// Nil for a source that decodes no NMEA.
        public var layers: Layers?
        /// What was made of gpsd's lines, by name; nil for a source that is not gpsd.
        public var gpsd: [String: Int]?
        /// Nil for a source without time of its own.
        public var time: TimeLayer?
        /// Input that was discarded because the control loop was behind.
        public var dropped: Int

        enum CodingKeys: String, CodingKey {
            case state, reason, device, baud, dropped, openings, layers, gpsd, time
            case hangUps = "hang_ups"
            case bytesPerSecond = "bytes_per_s"
            case acceptedSentences = "sentences_accepted"
            case rejectedSentences = "sentences_rejected"
        }
    }

    public struct Fix: Codable, Sendable {
        public var dimension: String
        public var quality: String
        public var lat: Double?
        public var lon: Double?
        /// Seconds since the last accepted fix; nil: there was none.
        public var ageSeconds: Double?
        public var satellitesUsed: Int?
        public var satellitesInView: Int?
        public var bestSignal: Int?
        /// The 68 % radius that decisions use: scaled and floored.
        public var accuracyMeters: Double?
        /// receiver | gst | hdop | configured; nil: nobody said, the default stands in.
        public var accuracySource: String?
        /// Of the last epoch, accepted or not.
        public var integrityFlags: [String]
        /// Whether the last accepted fix is too old to say where the device is.
        public var isExpired: Bool
        /// Seconds between accepted fixes; nil until there are two.
        public var periodSeconds: Double?
        public var hdop: Double?
        public var speed: Double?
        /// How often the quality gate gave each verdict since the start.
        public var verdicts: [String: Int]

        enum CodingKeys: String, CodingKey {
            case dimension, quality, lat, lon, hdop, verdicts
            case ageSeconds = "age_s"
            case satellitesUsed = "satellites_used"
            case satellitesInView = "satellites_in_view"
            case bestSignal = "best_cn0_dbhz"
            case accuracyMeters = "accuracy_m"
            case speed = "speed_mps"
            case accuracySource = "accuracy_source"
            case integrityFlags = "integrity_flags"
            case isExpired = "expired"
            case periodSeconds = "period_s"
        }
    }

    public struct Clock: Codable, Sendable {
        /// What UTC is taken from: gnss | ntp | none
        public var source: String
        /// Whether somebody keeps the system clock synchronised.
        public var isSynchronised: Bool
        /// System clock minus GNSS, seconds; nil without a trusted GNSS time.
        public var offsetSeconds: Double?

        enum CodingKeys: String, CodingKey {
            case source
            case isSynchronised = "synchronised"
            case offsetSeconds = "offset_s"
        }
    }

    public struct Server: Codable, Sendable {
        public var url: String
        /// A `ConnectivityState`, or `unknown` before the first answer.
        public var state: String
        public var reason: String?
        /// Why the server put off events of the last receipt, its code; nil: it did not.
        public var deferralReason: String?
        public var failures: Int
        public var lastReceiptAgeSeconds: Double?

        enum CodingKeys: String, CodingKey {
            case url, state, reason, failures
            case deferralReason = "deferred"
            case lastReceiptAgeSeconds = "last_receipt_age_s"
        }
    }

    public struct Queue: Codable, Sendable {
        public var enqueued: Int64
        public var acknowledged: Int64
        public var pending: Int64
        public var dead: Int64
        public var evicted: Int64
        public var oldest: WireTime?
        /// durable | storageReadOnly | diskFull
        public var storage: String
    }

    public struct Fences: Codable, Sendable {
        public var known: Int
        public var monitored: Int
        /// server | cache | file | device | none
        public var source: String
        /// A `CoverageStatus`.
        public var coverage: String
        public var revision: Int?
        /// Why nothing can be monitored, a reason of `RegionMonitor`; nil: it can.
        public var unavailableReason: String?
        /// What a person should know about the set, in words; nil: nothing.
        public var note: String?
        /// Nearest first, at most 20.
        public var list: [Fence]

        enum CodingKeys: String, CodingKey {
            case known, monitored, source, coverage, revision, note, list
            case unavailableReason = "unavailable_reason"
        }
    }

    /// Why events are kept in memory only, "storageReadOnly: ..."; nil: they are on the disk.
    public var memoryReason: String? {
        guard queue.storage != "durable" else { return nil }
        let codes = [CheckIn.storageReadOnlyCode, CheckIn.diskFullCode]
        let isTold = checkIn.code.map(codes.contains) ?? false
        return queue.storage + (isTold ? checkIn.reason.map { ": \($0)" } ?? "" : "")
    }

    /// Whether receiver, decisions, storage and server are well. A server that nobody has asked yet is
    /// not known to be well, nor are decisions before the first accepted fix.
    public var isWell: Bool {
        let serverIsWell = server.map { $0.state == "online" } ?? true
        let decides = fix.ageSeconds != nil && !fix.isExpired && fences.unavailableReason == nil
        return receiver.state == "fix" && decides && queue.storage == "durable" && serverIsWell
    }

    public struct Fence: Codable, Sendable {
        public var id: String
        public var name: String
        /// unknown | outside | inside
        public var state: String
        public var signedDistanceMeters: Double?
        public var uncertain: Bool
        public var since: WireTime?
        public var dwelled: Bool

        enum CodingKeys: String, CodingKey {
            case id, name, state, uncertain, since, dwelled
            case signedDistanceMeters = "signed_distance_m"
        }
    }

    public struct LastEvent: Codable, Sendable {
        public var sequence: Int64
        public var type: String
        public var fenceID: String?
        public var detectedAt: WireTime?
        /// stored | received
        public var place: String

        enum CodingKeys: String, CodingKey {
            case type, place
            case sequence = "seq"
            case fenceID = "fence_id"
            case detectedAt = "detected_at"
        }
    }
}
