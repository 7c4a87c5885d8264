import Synchronization

/// Hands local events to whoever listens; a slow listener loses events, never delays them.
public final class EventHub: Sendable {
    private struct State {
        var nextID = 0
        var listeners: [Int: AsyncStream<LocalEvent>.Continuation] = [:]
    }

    /// Local events that one listener may be behind before the oldest are dropped.
    public static let bufferLimit = 1024
    private let state = Mutex(State())

    public init() {}

    /// Everything that happens from now on, until the task that reads it ends.
    public func listen() -> AsyncStream<LocalEvent> {
        let (stream, continuation) = AsyncStream<LocalEvent>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.bufferLimit))
        let id = state.withLock { state in
            state.nextID += 1
            state.listeners[state.nextID] = continuation
            return state.nextID
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }

    /// Tells every listener; never blocks.
    public func publish(_ event: LocalEvent) {
        for listener in state.withLock({ Array($0.listeners.values) }) {
            listener.yield(event)
        }
    }

    /// Whether anybody listens, so that what only listeners need is not made for nobody.
    public var hasListeners: Bool {
        state.withLock { !$0.listeners.isEmpty }
    }

    /// Ends every stream.
    public func close() {
        for listener in state.withLock({ Array($0.listeners.values) }) {
            listener.finish()
        }
    }
}
