import Synchronization

/// What was read of the database, until the next commit of anybody.
final class CommitCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Values that are kept; then it starts over.
    static var capacity: Int { 10_000 }

    private let state = Mutex(State())

    private struct State {
        var commit = -1
        var values: [Key: Value] = [:]
    }

    /// The value of a key at a commit number that was taken before; else what `read` reads now,
    /// which is as new or newer. An absent value is not kept.
    func value(
        _ key: Key, at commit: Int, read: () throws(StoreError) -> Value?
    ) throws(StoreError) -> Value? {
        let known = state.withLock { $0.commit == commit ? $0.values[key] : nil }
        if let known { return known }
        guard let value = try read() else { return nil }
        state.withLock { state in
            if state.commit < commit || state.values.count >= Self.capacity {
                state.values.removeAll(keepingCapacity: true)
                state.commit = max(state.commit, commit)
            }
            if state.commit == commit { state.values[key] = value }
        }
        return value
    }
}
