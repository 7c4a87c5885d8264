import Delivery
import Timekeeping

/// A server that keeps events as the real one does: COMMIT before the answer, one event per name,
/// order by epoch and sequence. What it is made to answer besides is the simulation's business.
public struct SimulatedServer {
    /// How it treats batches at present.
    public enum Mood: Hashable, Sendable {
        case healthy
        /// 408, 425, 429 or 5xx, with or without `Retry-After`.
        case busy(status: Int, retryAfterSeconds: Int?)
        /// 401 or 403.
        case refusesKey(status: Int)
        /// 404, 405, 410, 415 or 426.
        case isElsewhere(status: Int)
        /// Defers every event; nil: without saying for how long.
        case defers(seconds: Int?)
        /// 400 or 422 for whatever comes.
        case refusesAll(status: Int)
    }

    /// An answer, and what it truly says of events.
    public struct Reply {
        public var answer: HTTPAnswer
        /// By client event id.
        public var words: [String: Word] = [:]
    }

    /// The server's own word on one event.
    public enum Word: Hashable, Sendable {
        case kept, refused, deferred
    }

    public struct StoredEvent: Hashable, Sendable {
        public var position: QueuePosition
        var payload: [UInt8]
        /// How often it came.
        public var arrivals: Int
    }

    public var mood = Mood.healthy
    /// More events than this in one request are answered with 413.
    public var greatestBatch = Int.max
    /// Whether a 422 says which event it means.
    public var blamesEvents = false
    /// Whether there is a route for heartbeats.
    public var hearsHeartbeats = true
    /// By client event id.
    public private(set) var stored: [String: StoredEvent] = [:]
    /// By boot.
    public private(set) var anchors: [String: ClockAnchor] = [:]
    /// What a device must never send: another event under a known name or place, or a batch out of
    /// order; nil: it did not.
    public private(set) var contradiction: String?
    private var names: [QueuePosition: String] = [:]
    private var poison: Set<String> = []
    private var unwanted: Set<String> = []

    public init() {}

    /// Batches with this event are refused as a whole, for ever.
    public mutating func addPoison(_ id: String) { poison.insert(id) }

    /// This event is refused by itself, for ever.
    public mutating func addUnwanted(_ id: String) { unwanted.insert(id) }

    public func isPoison(_ id: String) -> Bool { poison.contains(id) }

    /// Whether this event will never be taken, with its batch or by itself.
    public func refusesForEver(_ id: String) -> Bool {
        poison.contains(id) || unwanted.contains(id)
    }

    /// Serves a request as the mood is.
    public mutating func serve(_ batch: OutgoingBatch) -> Reply {
        switch mood {
        case .healthy: break
        case .busy(let status, let seconds):
            return Reply(answer: Self.problem(status, retryAfter: seconds.map { "\($0)" }))
        case .refusesKey(let status), .isElsewhere(let status):
            return Reply(answer: Self.problem(status))
        case .refusesAll(let status):
            return Reply(
                answer: Self.problem(status, pointer: blamesEvents ? "/events/0/type" : nil))
        case .defers(let seconds):
            let more = seconds.map { ",\"retry_after_s\":\($0)" } ?? ""
            return receipt(batch, deferring: "\"deferred\"\(more)")
        }
        guard batch.events.count <= greatestBatch else {
            return Reply(answer: Self.problem(413))
        }
        if let index = batch.events.firstIndex(where: { poison.contains($0.clientEventID) }) {
            return Reply(
                answer: Self.problem(422, pointer: blamesEvents ? "/events/\(index)/type" : nil))
        }
        return receipt(batch, deferring: nil)
    }

    /// COMMIT, whether or not anybody is told of it.
    public mutating func keep(_ batch: OutgoingBatch) {
        for anchor in batch.clockAnchors { anchors[anchor.bootID.text] = anchor }
        var last: [String: Int64] = [:]
        for event in batch.events {
            let position = event.position
            if let before = last[position.epoch], before >= position.sequence {
                contradiction = "\(position.sequence) after \(before) in one batch"
            }
            last[position.epoch] = position.sequence
            guard
                !poison.contains(event.clientEventID), !unwanted.contains(event.clientEventID)
            else { continue }
            keep(event)
        }
    }

    private mutating func keep(_ event: QueuedEvent) {
        let id = event.clientEventID
        guard var known = stored[id] else {
            if let other = names.updateValue(id, forKey: event.position) {
                contradiction = "\(id) and \(other) have the place \(event.position.sequence)"
            }
            stored[id] = StoredEvent(
                position: event.position, payload: event.payload, arrivals: 1)
            return
        }
        if known.payload != event.payload { contradiction = "\(id) came with other bytes" }
        known.arrivals += 1
        stored[id] = known
    }

    /// Serves a heartbeat.
    public func serveHeartbeat() -> HTTPAnswer {
        switch mood {
        case .busy(let status, let seconds):
            return Self.problem(status, retryAfter: seconds.map { "\($0)" })
        case .refusesKey(let status), .isElsewhere(let status): return Self.problem(status)
        case .healthy, .defers, .refusesAll:
            guard hearsHeartbeats else { return Self.problem(404) }
            return Self.json(#"{"config_revision":1}"#)
        }
    }

    // MARK: Answers

    private mutating func receipt(_ batch: OutgoingBatch, deferring: String?) -> Reply {
        var words: [String: Word] = [:]
        var results: [String] = []
        if deferring == nil { keep(batch) }
        for event in batch.events {
            let id = event.clientEventID
            var status = deferring
            if deferring != nil {
                words[id] = .deferred
            } else if unwanted.contains(id) {
                words[id] = .refused
                status = "\"rejected\",\"code\":\"unwanted\""
            } else {
                words[id] = .kept
                let isNew = stored[id]?.arrivals == 1
                status = isNew ? "\"accepted\"" : "\"duplicate\""
            }
            results.append("{\"client_event_id\":\"\(id)\",\"status\":\(status ?? "")}")
        }
        return Reply(answer: Self.receipt(batch.batchID, results), words: words)
    }

    static func receipt(_ batchID: String, _ results: [String]) -> HTTPAnswer {
        json(
            "{\"batch_id\":\"\(batchID)\",\"config_revision\":1,\"results\":["
                + results.joined(separator: ",") + "]}")
    }

    static func json(_ text: String) -> HTTPAnswer {
        HTTPAnswer(status: 200, contentType: "application/json", body: Array(text.utf8))
    }

    static func problem(
        _ status: Int, retryAfter: String? = nil, pointer: String? = nil
    ) -> HTTPAnswer {
        let errors = pointer.map { ",\"errors\":[{\"pointer\":\"\($0)\"}]" } ?? ""
        return HTTPAnswer(
            status: status, contentType: "application/problem+json", retryAfter: retryAfter,
            body: Array("{\"code\":\"simulated\"\(errors)}".utf8))
    }
}
