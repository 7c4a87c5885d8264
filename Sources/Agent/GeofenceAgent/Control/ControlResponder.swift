import Delivery
import WireFormat

/// Answers the command line: one JSON request line in, one answer line or a stream of lines out.
///
/// A bounded answer of several lines waits for a slow client and ends with a `ControlEnd`. A stream
/// never waits: a client that is too far behind gets a last `lost` and connects again.
public struct ControlResponder: Sendable {
    /// Events in one answer.
    public static let greatestLimit = 10_000
    private static let defaultLimit = 100
    private let tracking: TrackingService
    private let upload: UploadService?
    private let hub: EventHub
    /// Nil where nothing waits for the uploader.
    private let thread: (any ServiceThread)?

    init(
        tracking: TrackingService, upload: UploadService?, hub: EventHub,
        thread: (any ServiceThread)? = nil
    ) {
        self.tracking = tracking
        self.upload = upload
        self.hub = hub
        self.thread = thread
    }

    /// Answers one request; returns when everything was handed over or the client is gone.
    ///
    /// - Parameter mayChange: whether the client may change anything; asked for changes only.
    public func respond(
        to line: [UInt8], client: some ControlClient,
        mayChange: @Sendable () -> Bool = { false }
    ) async {
        do throws(ControlRefusal) {
            let request = try Self.read(line)
            if request.command.isChange, !mayChange() {
                throw ControlRefusal(
                    .forbidden, "changes are for root and the group geofenced-admin")
            }
            switch request.command {
            case .status: try await sendStatus(to: client)
            case .events: try await sendEvents(request, to: client)
            case .watch: try await watch(request, client)
            case .mark: try await mark(request, to: client)
            case .explain: try await explainEvent(request.subject ?? "", to: client)
            case .explainFence: try await explainFence(request.subject ?? "", to: client)
            case .fences: client.send(line: try ControlRefusal.encode(await tracking.fenceList()))
            case .flush: try await flush(request, client)
            case .addFences:
                let change = try await tracking.addLocalFences(request.fences ?? [])
                client.send(line: try ControlRefusal.encode(change))
            case .removeFences:
                let change = try await tracking.removeLocalFences(request.ids ?? [])
                client.send(line: try ControlRefusal.encode(change))
            }
            client.finish(lastLine: nil)
        } catch {
            client.finish(lastLine: error.line)
        }
    }

    private static func read(_ line: [UInt8]) throws(ControlRefusal) -> ControlRequest {
        do throws(WireError) {
            return try WireCoding.decode(ControlRequest.self, from: line)
        } catch {
            throw ControlRefusal(.badRequest, "\(error)")
        }
    }

    private func sendStatus(to client: some ControlClient) async throws(ControlRefusal) {
        let report = await upload?.status
        client.send(line: try ControlRefusal.encode(await tracking.status(upload: report)))
    }

    private func flush(
        _ request: ControlRequest, _ client: some ControlClient
    ) async throws(ControlRefusal) {
        guard let upload, let thread else {
            throw ControlRefusal(.noServer, "no server is configured: events stay on this device")
        }
        let flush = QueueFlush(
            tracking: tracking, upload: upload, thread: thread, time: tracking.time)
        let report = await flush.run(seconds: request.timeoutSeconds ?? Self.flushSeconds) {
            client.isOpen
        }
        client.send(line: try ControlRefusal.encode(report))
    }

    /// How long `flush` waits for its end where nobody says.
    private static let flushSeconds = 60.0

    private func explainEvent(
        _ subject: String, to client: some ControlClient
    ) async throws(ControlRefusal) {
        var reader = StoredEvents(tracking)
        if let sequence = Int64(subject), sequence > 0 {
            reader.start(after: sequence - 1)
            let event = try await reader.next(limit: 1).first
            if let event, event.sequence == sequence { return try await explain(event, to: client) }
        } else {
            reader.startWithEarlierEpochs(then: 0)
            while case let page = try await reader.next(limit: StoredEvents.pageLimit),
                !page.isEmpty
            {
                if let event = page.first(where: { $0.clientEventID.text == subject }) {
                    return try await explain(event, to: client)
                }
            }
        }
        let unreadable = reader.takeUnreadable().first.map { "; \($0)" } ?? ""
        throw ControlRefusal(
            .notFound,
            "no event '\(subject)' is kept: `geofenced events` lists those that are\(unreadable)")
    }

    private func explain(
        _ event: WireEvent, to client: some ControlClient
    ) async throws(ControlRefusal) {
        client.send(line: try ControlRefusal.encode(await tracking.explanation(of: event)))
    }

    private func explainFence(
        _ id: String, to client: some ControlClient
    ) async throws(ControlRefusal) {
        guard let report = await tracking.explanation(ofFence: id) else {
            throw Self.unknown(id)
        }
        client.send(line: try ControlRefusal.encode(report))
    }

    private static func unknown(_ fence: String) -> ControlRefusal {
        ControlRefusal(
            .notFound,
            "no fence '\(fence.prefix(128))' is known here: `geofenced fences list` shows them")
    }

    private func mark(
        _ request: ControlRequest, to client: some ControlClient
    ) async throws(ControlRefusal) {
        let mark = request.mark ?? ControlRequest.Mark(label: nil, fence: nil, kind: nil)
        if let defect = mark.defect { throw ControlRefusal(.badRequest, "\(defect)") }
        if let fence = mark.fence, await !tracking.isKnown(fence: fence) {
            throw Self.unknown(fence)
        }
        let answer: MarkAnswer
        do throws(MarkError) {
            answer = try await tracking.mark(
                label: mark.label, fence: mark.fence, kind: mark.kind)
        } catch {
            throw ControlRefusal(.notRecording, "\(error)")
        }
        client.send(line: try ControlRefusal.encode(answer))
    }

    private func sendEvents(
        _ request: ControlRequest, to client: some ControlClient
    ) async throws(ControlRefusal) {
        let limit = request.limit ?? Self.defaultLimit
        guard (1...Self.greatestLimit).contains(limit) else {
            throw ControlRefusal(
                .badRequest, "limit: \(limit) is out of range, allowed 1...\(Self.greatestLimit)")
        }
        var reader = StoredEvents(tracking)
        if let since = request.since {
            reader.start(after: since)
        } else {
            try await reader.start(atNewest: limit)
        }
        var count = 0
        while count < limit {
            let page = try await reader.next(limit: limit - count)
            guard !page.isEmpty else { break }
            for event in page {
                guard client.send(line: try ControlRefusal.encode(event)) else { return }
            }
            count += page.count
            guard await client.waitForRoom() else { return }
        }
        client.send(
            line: try ControlRefusal.encode(
                ControlEnd(count: count, unreadable: reader.unreadableCount)))
    }

    private func watch(
        _ request: ControlRequest, _ client: some ControlClient
    ) async throws(ControlRefusal) {
        let subscription = hub.subscribe(fixes: request.fixes == true)
        defer { subscription.cancel() }
        // Else the listener would stay until the next event.
        client.onEnd { subscription.cancel() }
        let positions = try await storage { () async throws(QueueError) in
            try await tracking.positions()
        }
        client.send(line: try ControlRefusal.encode(WatchHello(positions)))
        client.send(
            line: try ControlRefusal.encode(LocalEvent.checkIn(await tracking.checkIn.current)))
        // What a stream that is already open was told before the hello, or is told from storage.
        var told = positions.last
        if let start = Self.start(request, positions) {
            told = start
            guard try await sendStored(after: start, positions, told: &told, to: client) else {
                return
            }
        }
        for await event in subscription.events {
            if case .event(let wire) = event, wire.sequence <= told[wire.queueEpoch] ?? 0 {
                continue
            }
            let line = try ControlRefusal.encode(event)
            guard client.send(line: line) else {
                if client.isOpen {
                    client.finish(lastLine: try ControlRefusal.encode(LocalEvent.lost))
                }
                return
            }
        }
    }

    /// From where a stream goes on, by epoch; nil: from now.
    private static func start(
        _ request: ControlRequest, _ positions: QueuePositions
    ) -> [String: Int64]? {
        if let asked = request.positions { return asked }
        guard let since = request.since else { return nil }
        var start = positions.last
        start[positions.current] = since
        return start
    }

    /// Stored events beyond `start`, waiting for the client; false when it is gone.
    private func sendStored(
        after start: [String: Int64], _ positions: QueuePositions, told: inout [String: Int64],
        to client: some ControlClient
    ) async throws(ControlRefusal) -> Bool {
        // A number from the future of its epoch would hide what comes until it is reached.
        for (epoch, last) in positions.last { told[epoch] = min(told[epoch] ?? 0, last) }
        var reader = StoredEvents(tracking)
        reader.startWithEarlierEpochs(then: told[positions.current] ?? 0)
        while true {
            let page = try await reader.next(limit: .max)
            for text in reader.takeUnreadable() {
                let line = try ControlRefusal.encode(
                    LocalEvent.error(code: "storage", message: text))
                guard client.send(line: line) else { return false }
            }
            guard !page.isEmpty else { return true }
            for event in page where event.sequence > start[event.queueEpoch] ?? 0 {
                told[event.queueEpoch] = max(told[event.queueEpoch] ?? 0, event.sequence)
                guard client.send(line: try ControlRefusal.encode(LocalEvent.event(event))) else {
                    return false
                }
            }
            guard await client.waitForRoom() else { return false }
        }
    }

    private func storage<Value: Sendable>(
        _ work: () async throws(QueueError) -> Value
    ) async throws(ControlRefusal) -> Value {
        do throws(QueueError) {
            return try await work()
        } catch {
            throw ControlRefusal(.storage, "\(error)")
        }
    }
}

/// Why a request is not answered; it becomes the last line.
struct ControlRefusal: Error {
    var failure: ControlFailure

    init(_ code: ControlFailure.Code, _ message: String, defects: [Problem.Defect]? = nil) {
        failure = ControlFailure(code, message: message, defects: defects)
    }

    /// Nil only where JSON itself fails.
    var line: [UInt8]? { try? WireCoding.encode(failure) }

    static func encode(_ value: some Encodable) throws(ControlRefusal) -> [UInt8] {
        do {
            return try WireCoding.encode(value)
        } catch {
            throw ControlRefusal(.internal, "\(error)")
        }
    }
}
