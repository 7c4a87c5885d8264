import CLinux
import Glibc

/// A thread of its own for work that blocks, kept off Swift's shared pool.
public final class DedicatedThread: Sendable {
    /// Bytes of its stack; untouched pages cost nothing.
    public static let stackSize = 512 * 1024

    private let finished = Semaphore()

    /// Runs `body` on a new thread; `name` is seen in top(1), cut to 15 bytes. Throws EAGAIN where
    /// the system has no thread left.
    public init(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let start = Unmanaged.passRetained(ThreadStart(name: name, body: body, end: finished))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, Self.stackSize)
        defer { pthread_attr_destroy(&attributes) }
        var thread = pthread_t()
        let status = pthread_create(
            &thread, &attributes,
            { argument in
                if let argument {
                    Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue().run()
                }
                return nil
            }, start.toOpaque())
        guard status == 0 else {
            start.release()
            throw SystemError("pthread_create", name, code: status)
        }
    }

    /// Waits for the body to return; false when the time is over.
    @discardableResult
    public func join(milliseconds: Int? = nil) -> Bool {
        finished.see(withinMilliseconds: milliseconds)
    }
}

/// What a new thread is handed.
private final class ThreadStart: Sendable {
    private let name: String
    private let body: @Sendable () -> Void
    private let end: Semaphore

    init(name: String, body: @escaping @Sendable () -> Void, end: Semaphore) {
        self.name = name
        self.body = body
        self.end = end
    }

    func run() {
        blockSignals()
        let shortName = String(decoding: Array(name.utf8).prefix(15), as: UTF8.self)
        _ = CLinux.pthread_setname_np(UInt(pthread_self()), shortName)
        body()
        end.post()
    }

    /// Signals are for the main thread; a system call of a worker is not interrupted by them.
    private func blockSignals() {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
    }
}
