import WireFormat

/// Brings what happens to a pair of callbacks, one call at a time, in order.
///
/// Invariants:
/// - The agent never waits for a callback.
/// - An event of a fence is delivered once, also to a callback that is slower than the events come:
///   what its buffer does not hold is read again from the queue, and what comes next waits until
///   that is done. Only news about registered fences is lost then, and an error says so.
public struct EventFeed: Sendable {
    private let hub: EventHub
    private let stored: @Sendable ([String: Int64]) async throws -> [WireEvent]?
    private let retry: Duration
    private let onEvent: @Sendable (AgentEvent) async -> Void
    private let onError: @Sendable (AgentError) async -> Void
    /// The last sequence number of each queue epoch that was delivered.
    private var told: [String: Int64] = [:]
    /// Where the first stream began.
    private var start: [String: Int64] = [:]

    /// `stored` gives some of the events beyond the given positions, oldest first; empty: no more;
    /// nil: there is no agent now that could say. What fails is asked again after `retry`.
    public init(
        hub: EventHub, retry: Duration = .seconds(1),
        stored: @escaping @Sendable ([String: Int64]) async throws -> [WireEvent]?,
        onEvent: @escaping @Sendable (AgentEvent) async -> Void,
        onError: @escaping @Sendable (AgentError) async -> Void
    ) {
        self.hub = hub
        self.retry = retry
        self.stored = stored
        self.onEvent = onEvent
        self.onError = onError
    }

    /// Works until its task is cancelled, also over a stop and a new start of the agent. `first` was
    /// opened before the task began, so that nothing in between is missed.
    public mutating func run(_ first: EventSubscription) async {
        var subscription = first
        start = first.positions
        while !Task.isCancelled {
            // After an overflow, or where a new run was faster than the callback.
            if isBehind(subscription.positions) { await catchUp() }
            for await event in subscription.events {
                guard !Task.isCancelled else { return }
                await take(event)
            }
            subscription = hub.subscribe(fixes: false)
        }
    }

    private mutating func take(_ event: LocalEvent) async {
        switch event {
        case .event(let wire): await tell(wire)
        case .registered(let fenceID): await onEvent(.registered(fenceID: fenceID))
        case .unregistered(let fenceID): await onEvent(.unregistered(fenceID: fenceID))
        case .error(let code, let message):
            await onError(AgentError(code: code, message: message))
        case .lost:
            await onError(
                AgentError(
                    code: "slow_subscriber",
                    message: "the subscriber is \(EventHub.bufferLimit) events behind; events are "
                        + "read again from the queue, news about registered fences is lost"))
        case .fix, .health, .checkIn, .notification: break
        }
    }

    private mutating func tell(_ event: WireEvent) async {
        guard event.sequence > told[event.queueEpoch] ?? 0 else { return }
        told[event.queueEpoch] = event.sequence
        if let event = AgentEvent(event) { await onEvent(event) }
    }

    /// Up to where everything was delivered.
    private var known: [String: Int64] {
        hub.beginnings.merging(start) { $1 }.merging(told) { $1 }
    }

    private func isBehind(_ positions: [String: Int64]) -> Bool {
        let known = known
        return positions.contains { epoch, last in last > known[epoch] ?? 0 }
    }

    /// Returns when nothing is missing any more, or the task is cancelled: a later event must not
    /// hide the gap before it.
    private mutating func catchUp() async {
        var isErrorTold = false
        while !Task.isCancelled {
            do {
                while let events = try await stored(known) {
                    guard !events.isEmpty else { return }
                    for event in events {
                        guard !Task.isCancelled else { return }
                        await tell(event)
                    }
                }
            } catch {
                if !isErrorTold { await onError(AgentError(code: "storage", message: "\(error)")) }
                isErrorTold = true
            }
            try? await Task.sleep(for: retry)
        }
    }
}
