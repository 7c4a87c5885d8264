import LinuxSystem
import Positioning
import Synchronization

/// The one thread of a source: started once, stopped within a second.
final class SourceThread: Sendable {
    private let name: String
    private let running = Mutex<(thread: DedicatedThread, stop: WakeEvent)?>(nil)

    /// `name` is seen in top(1).
    init(name: String) {
        self.name = name
    }

    deinit {
        running.withLock { $0?.stop.signal() }
    }

    /// Runs `body` on a thread of its own until it sees `stop` signalled; nothing while one runs.
    /// Where the system has no thread left, that is the source's health.
    func start(
        _ deliver: @Sendable (SourceEvent) -> Void,
        _ body: @escaping @Sendable (_ stop: WakeEvent) -> Void
    ) {
        running.withLock { running in
            guard running == nil else { return }
            do throws(SystemError) {
                let stop = try WakeEvent()
                running = (try DedicatedThread(name: name) { body(stop) }, stop)
            } catch {
                deliver(.health(SourceHealth(.noDevice, "cannot start reading: \(error)")))
            }
        }
    }

    /// Signals the thread and waits for it, at most a second.
    func stop() {
        let ending = running.withLock { running in
            defer { running = nil }
            return running
        }
        ending?.stop.signal()
        ending?.thread.join(milliseconds: 1000)
    }
}
