import Foundation
import Synchronization

@testable import ReferenceServer

/// Somebody who takes as long as wanted for reading what another process wrote, as an import of very
/// many fences makes it. Everything runs on threads of its own: what waits for it must not be the test.
final class SlowReading: Sendable {
    private let release = DispatchSemaphore(value: 0)

    /// Has begun when this returns.
    init(_ store: SQLiteServerStore) {
        let begun = DispatchSemaphore(value: 0)
        Thread { [release] in
            store.mirror.source.withLock { _ in
                begun.signal()
                release.wait()
            }
        }.start()
        begun.wait()
    }

    /// More than once does no harm.
    func end() { release.signal() }

    /// What comes of it while the reading goes on; nil: it waits for that.
    func during<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value? {
        begin(body).result(withinSeconds: 60)
    }

    func begin<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Running<Value> {
        Running(body)
    }

    /// Something on a thread of its own.
    final class Running<Value: Sendable>: Sendable {
        private let value = Mutex<Value?>(nil)
        private let done = DispatchSemaphore(value: 0)

        init(_ body: @escaping @Sendable () -> Value) {
            Thread { [self] in
                let found = body()
                value.withLock { $0 = found }
                done.signal()
            }.start()
        }

        /// Nil: it is not done yet.
        func result(withinSeconds seconds: Double) -> Value? {
            guard done.wait(timeout: .now() + seconds) == .success else { return nil }
            done.signal()
            return value.withLock { $0 }
        }
    }
}
