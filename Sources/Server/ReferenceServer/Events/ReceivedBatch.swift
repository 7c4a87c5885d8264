import Timekeeping
import WireFormat

/// A batch as it came: the events that can be kept, and those that are refused one by one.
///
/// What is wrong with the batch as a whole throws 413 or 422, so that the agent halves or bisects;
/// what is wrong with one event only refuses that event.
struct ReceivedBatch: Sendable {
    static let eventLimit = 500
    static let anchorLimit = 100

    private(set) var batch: IncomingBatch
    /// In the order of the batch.
    private var entries: [Entry] = []

    private struct Entry {
        var id: String
        /// Why it is refused; nil: it stands in `batch.events`.
        var refusal: String?
    }

    init(_ document: JSONDocument, call: Call) throws(RequestProblem) {
        let root = document.root
        guard root.kind == .object else { throw .invalid("", "not an object") }
        guard try ExactText(Self.text(root, "device_id")) == ExactText(call.deviceID) else {
            throw .invalid(
                "/device_id", "another device than X-Device-Id", code: "device_mismatch")
        }
        var report = call.deviceReport
        // How full the queue is only informs; what cannot be read must not cost the events.
        let queue = root.member("queue").flatMap {
            try? WireCoding.decode(EventBatch.Queue.self, from: $0.text)
        }
        report.pending = queue?.pending
        report.dead = queue?.dead
        batch = IncomingBatch(
            batchID: try Self.text(root, "batch_id"), report: report, deviceID: call.deviceID,
            anchors: try Self.anchors(root), events: [])
        guard let events = root.member("events"), events.kind == .array else {
            throw .invalid("/events", "not an array")
        }
        try read(events.elements)
    }

    private mutating func read(_ events: [JSONNode]) throws(RequestProblem) {
        guard events.count <= Self.eventLimit else {
            throw RequestProblem(
                413, "batch_too_large", "\(events.count) events, at most \(Self.eventLimit)")
        }
        batch.events.reserveCapacity(events.count)
        entries.reserveCapacity(events.count)
        for (index, node) in events.enumerated() {
            guard node.kind == .object else { throw .invalid("/events/\(index)", "not an object") }
            guard let id = node.member("client_event_id").flatMap(Self.identifier) else {
                throw .invalid(
                    "/events/\(index)/client_event_id", "not an id of 1 to 128 characters")
            }
            do {
                batch.events.append(try ReceivedEvent.read(node, id: id))
                entries.append(Entry(id: id, refusal: nil))
            } catch {
                entries.append(Entry(id: id, refusal: error.code))
            }
        }
    }

    /// One result for each event of the batch; `outcomes` are those of the kept ones.
    func results(_ outcomes: [EventOutcome]) -> [BatchAnswer.Result] {
        var next = outcomes.makeIterator()
        return entries.compactMap { entry in
            if let code = entry.refusal {
                return .init(clientEventID: entry.id, status: .rejected, code: code)
            }
            return next.next().map { Self.result(entry.id, $0) }
        }
    }

    private static func result(_ id: String, _ outcome: EventOutcome) -> BatchAnswer.Result {
        switch outcome {
        case .accepted(let verdict):
            .init(
                clientEventID: id, status: .accepted, notificationVerdict: verdict.rawValue)
        case .duplicate(let verdict):
            .init(
                clientEventID: id, status: .duplicate, notificationVerdict: verdict.rawValue)
        case .idReused: .init(clientEventID: id, status: .rejected, code: "id_reused")
        case .deferred(let code, let seconds):
            .init(
                clientEventID: id, status: .deferred, code: code, retryAfterSeconds: seconds)
        }
    }

    /// One that cannot be is passed over: refusing the batch for it would cost every event. So are
    /// those beyond what a batch may have.
    private static func anchors(
        _ root: JSONNode
    ) throws(RequestProblem) -> [IncomingBatch.Anchor] {
        guard let node = root.member("clock_anchors"), node.kind != .null else { return [] }
        guard node.kind == .array else { throw .invalid("/clock_anchors", "not an array") }
        return node.elements.prefix(anchorLimit).compactMap { element in
            guard let wire = try? WireCoding.decode(WireClockAnchor.self, from: element.text),
                ReceivedEvent.milliseconds.contains(wire.monoMilliseconds),
                ReceivedEvent.isName(wire.bootID), ReceivedEvent.isName(wire.source)
            else { return nil }
            return IncomingBatch.Anchor(
                bootID: wire.bootID, monoMilliseconds: wire.monoMilliseconds, utc: wire.utc.time,
                source: wire.source)
        }
    }

    private static func text(_ root: JSONNode, _ name: String) throws(RequestProblem) -> String {
        guard let text = root.member(name).flatMap(identifier) else {
            throw .invalid("/\(name)", "not an id of 1 to 128 characters")
        }
        return text
    }

    /// A string or a whole number of 1 to 128 code points.
    private static func identifier(_ node: JSONNode) -> String? {
        guard
            let text = node.string
                ?? (try? WireCoding.decode(WireID.self, from: node.text))?.text
        else { return nil }
        return ReceivedEvent.hasLength(text, in: FenceCheck.idLength) ? text : nil
    }
}
