import ReferenceServer
import Timekeeping
import WebServer

/// What `serve` may be told by a file; the command line wins where it speaks.
struct ServerConfiguration: Decodable, Sendable {
    var database: String?
    var listen = defaultListen
    /// Seconds that running requests get at the end.
    var drainSeconds = 10.0
    var logLevel = LogLevel.info
    var limits = ServerLimits()
    var requests = RequestLimits()
    /// Days from the day of receipt for which events are kept.
    var retentionDays = Retention.defaultDays

    static let defaultListen = "127.0.0.1:8948"

    init() {}

    private enum CodingKeys: String, CodingKey {
        case database, listen, limits
        case drainSeconds = "drain_s"
        case logLevel = "log_level"
        case retentionDays = "retention_days"
    }

    private enum LimitKeys: String, CodingKey {
        case connections, workers
        case connectionsPerAddress = "connections_per_address"
        case networkThreads = "network_threads"
        case keyRequestsPerSecond = "key_requests_per_second"
        case keyBurst = "key_burst"
        case refusalDelaySeconds = "refusal_delay_s"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        database = try container.decodeIfPresent(String.self, forKey: .database)
        listen = try container.decodeIfPresent(String.self, forKey: .listen) ?? listen
        if ListenAddress(listen) == nil {
            throw DecodingError.dataCorruptedError(
                forKey: .listen, in: container,
                debugDescription: "'\(listen)' is not a numeric address and port")
        }
        drainSeconds = try container.number(.drainSeconds, in: 0...300) ?? drainSeconds
        if let name = try container.decodeIfPresent(String.self, forKey: .logLevel) {
            guard let level = LogLevel(named: name) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .logLevel, in: container,
                    debugDescription:
                        "'\(name)' is unknown, allowed error, warning, notice, info, debug")
            }
            logLevel = level
        }
        retentionDays = try container.whole(.retentionDays, in: 1...36_500) ?? retentionDays
        guard container.contains(.limits) else { return }
        let nested = try container.nestedContainer(keyedBy: LimitKeys.self, forKey: .limits)
        limits.connections = try nested.whole(.connections, in: 1...100_000) ?? limits.connections
        limits.connectionsPerAddress =
            try nested.whole(.connectionsPerAddress, in: 1...100_000)
            ?? limits.connectionsPerAddress
        limits.workers = try nested.whole(.workers, in: 1...256) ?? limits.workers
        limits.networkThreads =
            try nested.whole(.networkThreads, in: 1...64) ?? limits.networkThreads
        requests.keyRequestsPerSecond =
            try nested.number(.keyRequestsPerSecond, in: 0.01...1_000_000)
            ?? requests.keyRequestsPerSecond
        requests.keyBurst = try nested.number(.keyBurst, in: 1...10_000_000) ?? requests.keyBurst
        requests.longestRefusalSeconds =
            try nested.number(.refusalDelaySeconds, in: 0...60) ?? requests.longestRefusalSeconds
    }
}

extension KeyedDecodingContainer {
    fileprivate func number(_ key: Key, in range: ClosedRange<Double>) throws -> Double? {
        guard let value = try decodeIfPresent(Double.self, forKey: key) else { return nil }
        guard range.contains(value) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self,
                debugDescription:
                    "\(value) is out of range, allowed \(range.lowerBound)...\(range.upperBound)")
        }
        return value
    }

    fileprivate func whole(_ key: Key, in range: ClosedRange<Int>) throws -> Int? {
        guard let value = try decodeIfPresent(Int.self, forKey: key) else { return nil }
        guard range.contains(value) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self,
                debugDescription:
                    "\(value) is out of range, allowed \(range.lowerBound)...\(range.upperBound)")
        }
        return value
    }
}

extension LogLevel {
    /// "error", "warning", "notice", "info" or "debug"
    fileprivate init?(named name: String) {
        switch name {
        case "error": self = .error
        case "warning": self = .warning
        case "notice": self = .notice
        case "info": self = .info
        case "debug": self = .debug
        default: return nil
        }
    }
}
