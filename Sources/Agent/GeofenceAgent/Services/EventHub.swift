import Synchronization

/// Hands local events to whoever listens; a slow listener is let go, and told so, but never waited for.
public final class EventHub: Sendable {
    private struct Listener {
        var continuation: AsyncStream<LocalEvent>.Continuation
        var wantsFixes: Bool
    }

    private struct State {
        var nextID = 0
        var listeners: [Int: Listener] = [:]
        /// The last sequence number of each queue epoch that was told, or stood there before.
        var positions: [String: Int64] = [:]
        /// The sequence numbers after which telling began.
        var beginnings: [String: Int64] = [:]
    }

    /// Local events that one listener may be behind before its stream ends with `lost`.
    public static let bufferLimit = 1024
    private let state = Mutex(State())

    public init() {}

    /// Everything that happens from now on.
    ///
    /// The stream ends when the task that reads it ends, with `EventSubscription.cancel`, with
    /// `close`, or, after a last `lost`, because its reader is `bufferLimit` events behind.
    public func subscribe(fixes: Bool = true) -> EventSubscription {
        let (stream, continuation) = AsyncStream<LocalEvent>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.bufferLimit))
        let (id, positions) = state.withLock { state in
            state.nextID += 1
            state.listeners[state.nextID] = Listener(
                continuation: continuation, wantsFixes: fixes)
            return (state.nextID, state.positions)
        }
        continuation.onTermination = { [weak self] _ in self?.forget(id) }
        return EventSubscription(events: stream, positions: positions) { continuation.finish() }
    }

    /// Everything that happens from now on, fixes included.
    public func listen() -> AsyncStream<LocalEvent> { subscribe().events }

    /// What the queue holds before a run tells of anything, by epoch.
    func begin(after positions: [String: Int64]) {
        state.withLock { state in
            for (epoch, last) in positions {
                if state.beginnings[epoch] == nil { state.beginnings[epoch] = last }
                state.positions[epoch] = max(state.positions[epoch] ?? 0, last)
            }
        }
    }

    /// The sequence number of each queue epoch after which the first listener was, or could have
    /// been, told everything.
    var beginnings: [String: Int64] { state.withLock { $0.beginnings } }

    /// Tells every listener; never blocks.
    public func publish(_ event: LocalEvent) {
        let listeners = state.withLock { state in
            if case .event(let wire) = event {
                let (epoch, sequence) = (wire.queueEpoch, wire.sequence)
                if state.beginnings[epoch] == nil { state.beginnings[epoch] = max(1, sequence) - 1 }
                state.positions[epoch] = max(state.positions[epoch] ?? 0, sequence)
            }
            return Array(state.listeners.values)
        }
        for listener in listeners {
            if case .fix = event, !listener.wantsFixes { continue }
            // The last place is kept for saying that it is the last.
            if case .enqueued(remaining: ...1) = listener.continuation.yield(event) {
                listener.continuation.yield(.lost)
                listener.continuation.finish()
            }
        }
    }

    /// Whether anybody listens for fixes, so that their reports are not made for nobody.
    public var wantsFixes: Bool {
        state.withLock { state in state.listeners.values.contains { $0.wantsFixes } }
    }

    public var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Ends every stream.
    public func close() {
        for listener in state.withLock({ Array($0.listeners.values) }) {
            listener.continuation.finish()
        }
    }

    private func forget(_ id: Int) {
        state.withLock { _ = $0.listeners.removeValue(forKey: id) }
    }
}

/// One listener's stream, and the way to end it from elsewhere.
public struct EventSubscription: Sendable {
    public let events: AsyncStream<LocalEvent>
    /// The last sequence number of each queue epoch before the stream: no greater one is missing.
    let positions: [String: Int64]
    private let end: @Sendable () -> Void

    init(
        events: AsyncStream<LocalEvent>, positions: [String: Int64],
        end: @escaping @Sendable () -> Void
    ) {
        self.events = events
        self.positions = positions
        self.end = end
    }

    /// Ends the stream; its reader sees what was buffered, and then the end.
    public func cancel() { end() }
}
