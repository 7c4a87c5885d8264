import Glibc

/// A thread of this target's own, so that blocking work stays off Swift's shared pool.
struct ServerThread: Sendable {
    private let handle: pthread_t

    /// Nil where the system refuses another thread.
    init?(_ body: @escaping @Sendable () -> Void) {
        var handle = pthread_t()
        let box = Unmanaged.passRetained(Body(body))
        let status = pthread_create(&handle, nil, Self.start, box.toOpaque())
        guard status == 0 else {
            box.release()
            return nil
        }
        self.handle = handle
    }

    /// Waits for the end of the thread; call it once.
    func join() {
        pthread_join(handle, nil)
    }

    private static let start:
        @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
            context in
            guard let context else { return nil }
            Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
            return nil
        }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
