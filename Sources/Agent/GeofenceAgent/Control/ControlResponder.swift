import Delivery
import WireFormat

/// Answers the command line: one JSON request line in, one answer line or a stream of lines out.
public struct ControlResponder: Sendable {
    /// Events in one answer, and at the start of a stream.
    public static let greatestLimit = 10_000
    private static let defaultLimit = 100
    private let tracking: TrackingService
    private let upload: UploadService?
    private let hub: EventHub

    init(tracking: TrackingService, upload: UploadService?, hub: EventHub) {
        self.tracking = tracking
        self.upload = upload
        self.hub = hub
    }

    /// Answers one request; returns when everything was handed over or the client is gone.
    public func respond(to line: [UInt8], client: some ControlClient) async {
        defer { client.finish() }
        do throws(WireError) {
            let request = try WireCoding.decode(ControlRequest.self, from: line)
            switch request.command {
            case .status: await sendStatus(to: client)
            case .events: await sendEvents(request, to: client)
            case .watch: await watch(request, client)
            }
        } catch {
            refuse("bad_request", "\(error)", client)
        }
    }

    private func sendStatus(to client: some ControlClient) async {
        let report = await upload?.status
        send(await tracking.status(upload: report), to: client)
    }

    private func sendEvents(_ request: ControlRequest, to client: some ControlClient) async {
        let limit = request.limit ?? Self.defaultLimit
        guard (1...Self.greatestLimit).contains(limit) else {
            return refuse(
                "bad_request", "limit: \(limit) is out of range, allowed 1...\(Self.greatestLimit)",
                client)
        }
        await sendStored(after: request.since, limit: limit, to: client) { $0 }
    }

    /// Stored events as lines; false when the client is gone or the storage failed.
    @discardableResult
    private func sendStored(
        after key: Int64?, limit: Int, to client: some ControlClient,
        _ line: (WireEvent) -> any Encodable
    ) async -> Bool {
        do {
            let stored = try await tracking.events(after: key, limit: limit)
            let anchors = await tracking.clockAnchors()
            for event in stored {
                var wire = try WireCoding.decode(WireEvent.self, from: event.payload)
                wire.resolveTimes(with: anchors)
                guard send(line(wire), to: client) else { return false }
            }
            return true
        } catch {
            refuse("storage", "\(error)", client)
            return false
        }
    }

    private func watch(_ request: ControlRequest, _ client: some ControlClient) async {
        let events = hub.listen()
        var last: Int64 = 0
        if let since = request.since {
            let isSent = await sendStored(
                after: since, limit: Self.greatestLimit, to: client
            ) { event in
                last = event.sequence
                return LocalEvent.event(event)
            }
            guard isSent else { return }
        }
        for await event in events {
            switch event {
            case .fix where request.fixes != true: break
            // Committed between listening and reading, it was sent already.
            case .event(let wire) where wire.sequence <= last: break
            default: guard send(event, to: client) else { return }
            }
            guard client.isOpen else { return }
        }
    }

    @discardableResult
    private func send(_ value: some Encodable, to client: some ControlClient) -> Bool {
        do {
            return client.send(line: try WireCoding.encode(value))
        } catch {
            refuse("internal", "\(error)", client)
            return false
        }
    }

    private func refuse(_ code: String, _ message: String, _ client: some ControlClient) {
        let failure = ControlFailure(code: code, message: message)
        if let line = try? WireCoding.encode(failure) { client.send(line: line) }
    }
}
