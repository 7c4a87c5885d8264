import Geofencing

/// `config{}` of answers: the server's say in how the agent works.
public struct WireConfig: Hashable, Sendable, Codable {
    public var revision: Int?
    public var fenceLimit: Int?
    public var refreshAfterMeters: Double?
    public var refreshAfterSeconds: Double?
    public var cooldownHours: Double?
    public var quietHours: JSONValue?
    public var upload: Upload?
    public var accuracy: Accuracy?
    public var dwellGapMaxSeconds: Double?
    public var visitGapMaxSeconds: Double?
    public var passAs: Fence.PassPolicy?

    public init() {}

    public struct Upload: Hashable, Sendable, Codable {
        public var maxBatch: Int?
        public var intervalSeconds: Double?
        /// Upper end of the delay after a failure, 60 ... 900.
        public var backoffCapSeconds: Double?

        public init(maxBatch: Int?, intervalSeconds: Double?, backoffCapSeconds: Double? = nil) {
            self.maxBatch = maxBatch
            self.intervalSeconds = intervalSeconds
            self.backoffCapSeconds = backoffCapSeconds
        }

        enum CodingKeys: String, CodingKey {
            case maxBatch = "max_batch"
            case intervalSeconds = "interval_s"
            case backoffCapSeconds = "backoff_cap_s"
        }
    }

    public struct Accuracy: Hashable, Sendable, Codable {
        public var arriveMaxMeters: Double?
        public var departMaxMeters: Double?

        public init(arriveMaxMeters: Double?, departMaxMeters: Double?) {
            self.arriveMaxMeters = arriveMaxMeters
            self.departMaxMeters = departMaxMeters
        }

        enum CodingKeys: String, CodingKey {
            case arriveMaxMeters = "arrive_max_m"
            case departMaxMeters = "depart_max_m"
        }
    }

    enum CodingKeys: String, CodingKey {
        case revision, upload, accuracy
        case fenceLimit = "fence_limit"
        case refreshAfterMeters = "refresh_after_m"
        case refreshAfterSeconds = "refresh_after_s"
        case cooldownHours = "cooldown_hours"
        case quietHours = "quiet_hours"
        case dwellGapMaxSeconds = "dwell_gap_max_s"
        case visitGapMaxSeconds = "visit_gap_max_s"
        case passAs = "pass_as"
    }

    /// The configuration as the domain knows it.
    public var remoteConfiguration: RemoteConfiguration {
        var result = RemoteConfiguration()
        result.revision = revision
        result.fenceLimit = fenceLimit
        result.refreshAfterMeters = refreshAfterMeters
        result.refreshAfterSeconds = refreshAfterSeconds
        result.cooldownHours = cooldownHours
        result.uploadMaxBatch = upload?.maxBatch
        result.uploadIntervalSeconds = upload?.intervalSeconds
        result.uploadBackoffCapSeconds = upload?.backoffCapSeconds
        result.arriveMaxMeters = accuracy?.arriveMaxMeters
        result.departMaxMeters = accuracy?.departMaxMeters
        result.dwellGapMaxSeconds = dwellGapMaxSeconds
        result.visitGapMaxSeconds = visitGapMaxSeconds
        result.passAs = passAs
        return result
    }
}
