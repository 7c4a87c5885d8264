import Synchronization

/// What several threads have found.
final class Gathered<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    func add(_ some: [Value]) { values.withLock { $0 += some } }

    var all: [Value] { values.withLock { $0 } }
}
