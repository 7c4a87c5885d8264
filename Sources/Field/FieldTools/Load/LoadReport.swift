/// What a fleet found, for people and as JSON.
public struct LoadReport: Encodable, Sendable {
    public var schema = "geofence-field.load/1"
    public var devices: Int
    public var connections: Int
    /// From the first start to the last receipt, seconds.
    public var seconds: Double
    public var requests: [String: Int]
    public var requestsPerSecond: Double
    public var events: Events
    /// Accepted in the time of the fleet's life.
    public var eventsPerSecond: Double
    public var latency: [String: Latency]
    /// How long a device waited for one of the connections.
    public var waiting: Latency
    public var errors: [String: Int]
    public var memory: Memory

    enum CodingKeys: String, CodingKey {
        case schema, devices, connections, requests, events, errors, memory
        case seconds = "elapsed_s"
        case requestsPerSecond = "requests_per_s"
        case eventsPerSecond = "events_per_s"
        case latency = "latency_ms"
        case waiting = "waiting_ms"
    }

    public struct Events: Encodable, Hashable, Sendable {
        public var made: Int
        public var accepted: Int
        public var duplicates: Int
        /// Accepted events and duplicates in receipts that were lost on purpose: where nothing else
        /// is lost, so many are duplicates.
        public var lost: Int
        public var rejected: Int
        public var deferred: Int
        /// Left in the queues at the end.
        public var pending: Int
    }

    /// Milliseconds.
    public struct Latency: Encodable, Hashable, Sendable {
        public var p50: Double
        public var p95: Double
        public var p99: Double
        public var max: Double

        public init(_ histogram: LatencyHistogram) {
            func milliseconds(_ seconds: Double?) -> Double {
                ((seconds ?? 0) * 100_000).rounded() / 100
            }
            p50 = milliseconds(histogram.quantile(0.5))
            p95 = milliseconds(histogram.quantile(0.95))
            p99 = milliseconds(histogram.quantile(0.99))
            max = milliseconds(histogram.longest)
        }
    }

    /// Resident bytes.
    public struct Memory: Encodable, Hashable, Sendable {
        public var load: Int
        /// The most that was seen of the server; nil: its process was not named.
        public var server: Int?

        enum CodingKeys: String, CodingKey {
            case load = "load_bytes"
            case server = "server_bytes"
        }

        public init(load: Int, server: Int?) {
            self.load = load
            self.server = server
        }
    }

    /// `life` is how long the devices made events, seconds.
    public init(
        _ tally: LoadTally, made: Int, pending: Int, lost: Int, plan: LoadPlan, connections: Int,
        seconds: Double, life: Double, memory: Memory
    ) {
        devices = plan.devices
        self.connections = connections
        self.seconds = Self.tenths(seconds)
        var all = LatencyHistogram()
        var requests: [String: Int] = ["not_modified": tally.notModified]
        var latency: [String: Latency] = [:]
        for (kind, histogram) in tally.latencies {
            all.add(histogram)
            requests[kind.rawValue] = histogram.count
            latency[kind.rawValue] = Latency(histogram)
        }
        requests["all"] = all.count
        latency["all"] = Latency(all)
        self.requests = requests
        self.latency = latency
        requestsPerSecond = Self.tenths(Double(all.count) / max(seconds, 0.001))
        events = Events(
            made: made, accepted: tally.accepted, duplicates: tally.duplicates, lost: lost,
            rejected: tally.rejected, deferred: tally.deferred, pending: pending)
        eventsPerSecond = Self.tenths(Double(tally.accepted) / max(life, 0.001))
        waiting = Latency(tally.waits)
        errors = tally.errors
        self.memory = memory
    }

    /// Whether every request was answered as it should be, and every event delivered.
    public var isClean: Bool { errors.isEmpty && events.pending == 0 }

    public var lines: [String] {
        func words(_ latency: Latency) -> String {
            "p50 \(latency.p50), p95 \(latency.p95), p99 \(latency.p99), max \(latency.max) ms"
        }
        func megabytes(_ bytes: Int) -> String {
            "\(Self.tenths(Double(bytes) / 1_048_576)) MiB"
        }
        var lines = [
            "devices      \(devices) over \(connections) connections, \(seconds) s",
            "requests     \(requests["all"] ?? 0), \(requestsPerSecond) a second",
            "events       \(events.made) made, \(events.accepted) accepted, "
                + "\(events.duplicates) duplicates of \(events.lost) whose receipt was lost, "
                + "\(events.rejected) rejected, "
                + "\(events.deferred) deferred, \(events.pending) left; "
                + "\(eventsPerSecond) accepted a second",
        ]
        for (kind, latency) in latency.sorted(by: { $0.key < $1.key }) {
            let name = kind + String(repeating: " ", count: max(1, 12 - kind.count))
            lines.append("\(name) \(requests[kind] ?? 0) requests: \(words(latency))")
        }
        lines.append("waiting      for a connection: \(words(waiting))")
        let server = memory.server.map { ", server \(megabytes($0)) at most" } ?? ""
        lines.append("memory       this program \(megabytes(memory.load))\(server)")
        if errors.isEmpty { lines.append("errors       none") }
        for (kind, count) in errors.sorted(by: { $0.key < $1.key }) {
            lines.append("error        \(count) x \(kind)")
        }
        return lines
    }

    private static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
