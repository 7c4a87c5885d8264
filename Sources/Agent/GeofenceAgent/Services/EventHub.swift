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
        let id = state.withLock { state in
            state.nextID += 1
            state.listeners[state.nextID] = Listener(
                continuation: continuation, wantsFixes: fixes)
            return state.nextID
        }
        continuation.onTermination = { [weak self] _ in self?.forget(id) }
        return EventSubscription(events: stream) { continuation.finish() }
    }

    /// Everything that happens from now on, fixes included.
    public func listen() -> AsyncStream<LocalEvent> { subscribe().events }

    /// Tells every listener; never blocks.
    public func publish(_ event: LocalEvent) {
        for listener in state.withLock({ Array($0.listeners.values) }) {
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
    private let end: @Sendable () -> Void

    init(events: AsyncStream<LocalEvent>, end: @escaping @Sendable () -> Void) {
        self.events = events
        self.end = end
    }

    /// Ends the stream; its reader sees what was buffered, and then the end.
    public func cancel() { end() }
}
