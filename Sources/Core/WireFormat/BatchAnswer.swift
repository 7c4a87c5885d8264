import Timekeeping

/// The body of a 200 to `POST /v1/events/batch`.
public struct BatchAnswer: Hashable, Sendable, Codable {
    public var batchID: WireID
    public var serverTime: WireTime
    public var configRevision: Int
    public var results: [Result]

    public init(batchID: String, serverTime: UTCTime, configRevision: Int, results: [Result]) {
        self.batchID = WireID(batchID)
        self.serverTime = WireTime(serverTime)
        self.configRevision = configRevision
        self.results = results
    }

    enum CodingKeys: String, CodingKey {
        case results
        case batchID = "batch_id"
        case serverTime = "server_time"
        case configRevision = "config_revision"
    }

    /// What became of one event.
    public struct Result: Hashable, Sendable, Codable {
        public var clientEventID: WireID
        public var status: Status
        /// Why, for `rejected` and `deferred`.
        public var code: String?
        public var retryAfterSeconds: Double?
        /// allowed | cooldown | quiet_hours | window | cap | not_applicable
        public var notificationVerdict: String

        public init(
            clientEventID: String, status: Status, code: String? = nil,
            retryAfterSeconds: Double? = nil, notificationVerdict: String = "not_applicable"
        ) {
            self.clientEventID = WireID(clientEventID)
            self.status = status
            self.code = code
            self.retryAfterSeconds = retryAfterSeconds
            self.notificationVerdict = notificationVerdict
        }

        enum CodingKeys: String, CodingKey {
            case status, code
            case clientEventID = "client_event_id"
            case retryAfterSeconds = "retry_after_s"
            case notificationVerdict = "server_notification_verdict"
        }
    }

    public enum Status: String, Hashable, Sendable, Codable {
        case accepted, duplicate, rejected, deferred
    }
}

extension BatchAnswer {
    /// The bytes that `WireCoding.encode` makes of the answer, at a tenth of its cost.
    ///
    /// Throws for a number that JSON cannot hold.
    public func text() throws(WireError) -> [UInt8] {
        var writer = JSONObjectWriter(capacity: 128 + results.count * 160)
        writer.begin()
        writer.member("batch_id", batchID.text)
        writer.member("config_revision", configRevision)
        writer.beginArray("results")
        for result in results { result.write(to: &writer) }
        writer.endArray()
        writer.member("server_time", serverTime.time.rfc3339)
        writer.end()
        return try writer.finish()
    }
}

extension BatchAnswer.Result {
    fileprivate func write(to writer: inout JSONObjectWriter) {
        writer.beginElement()
        writer.member("client_event_id", clientEventID.text)
        if let code { writer.member("code", code) }
        if let retryAfterSeconds { writer.member("retry_after_s", retryAfterSeconds) }
        writer.member("server_notification_verdict", notificationVerdict)
        writer.member("status", status.rawValue)
        writer.end()
    }
}
