import Delivery
import Glibc
import LinuxSystem
import Synchronization
import Timekeeping

/// Tells when the network of this machine has changed: the kernel's messages, a look once a minute,
/// and the clocks of a machine that was suspended. It is a hint that wakes, never a gate: what fails
/// here costs time and nothing else.
final class NetworkMonitor: Sendable {
    private let loop: PollLoop
    private let log: any LogSink
    private let tell: @Sendable (NetworkNews) -> Void
    private let socket: RouteSocket?
    private let state: Mutex<State>

    private struct State {
        var watch: NetworkWatch
        var timer: UInt64?
        var isClosed = false
    }

    /// Begins to look at once. `tell` is called on the thread of `loop`.
    init(on loop: PollLoop, log: any LogSink, tell: @escaping @Sendable (NetworkNews) -> Void) {
        self.loop = loop
        self.log = log
        self.tell = tell
        state = Mutex(State(watch: NetworkWatch(at: MonotonicClock.milliseconds)))
        do throws(SystemError) {
            socket = try RouteSocket()
        } catch {
            socket = nil
            log.write(
                LogLine(.notice, "network: \(error); changes are noticed once a minute only"))
        }
        if let socket {
            loop.watch(socket.number, for: Int16(POLLIN)) { [weak self] _ in self?.hear() }
        }
        setTimer()
    }

    /// Tells nothing any more.
    func close() {
        let timer = state.withLock { state in
            state.isClosed = true
            return state.timer.take()
        }
        if let timer { loop.cancelTimer(timer) }
        if let socket { loop.forget(socket.number) }
    }

    private func hear() {
        var hasHeard = true
        do throws(SystemError) {
            hasHeard = try socket?.takeMessages() ?? false
        } catch {
            // A socket that only fails would keep the thread busy.
            if let socket { loop.forget(socket.number) }
            log.write(
                LogLine(.warning, "network: \(error); changes are noticed once a minute only"))
        }
        guard hasHeard else { return }
        state.withLock { $0.watch.heard(at: MonotonicClock.milliseconds) }
        setTimer()
    }

    private func look() {
        let view = Self.view()
        let now = MonotonicClock.milliseconds
        let suspended = SystemTimekeeper.uptimeMilliseconds - now
        let news: NetworkNews? = state.withLock { state in
            guard !state.isClosed else { return nil }
            return state.watch.looked(view, suspendedMilliseconds: suspended, at: now)
        }
        if let news {
            let cause = news.isResumed ? "the machine was suspended" : "it has changed"
            log.write(
                LogLine(
                    .info, "network: \(cause), \(news.hasRoute ? "a" : "no") default route"))
            tell(news)
        }
        setTimer()
    }

    private func setTimer() {
        let now = MonotonicClock.milliseconds
        let (old, delay) = state.withLock { state in
            (state.timer.take(), state.isClosed ? nil : max(0, state.watch.lookAt - now))
        }
        if let old { loop.cancelTimer(old) }
        guard let delay else { return }
        let timer = loop.perform(afterMilliseconds: Int(clamping: delay)) { [weak self] in
            self?.look()
        }
        state.withLock { $0.timer = timer }
    }

    /// Nil where the kernel shows nothing.
    static func view() -> NetworkView? {
        guard let routes = try? DefaultRoutes.routes() else { return nil }
        guard let interfaces = try? InterfaceAddresses.now() else {
            return NetworkView(defaultRoutes: routes.map { "\($0.interface) via \($0.gateway)" })
        }
        let usable = routes.filter { interfaces.running.contains($0.interface) }
        let addresses = usable.flatMap { route in
            (interfaces.addresses[route.interface] ?? []).map { "\(route.interface) \($0)" }
        }
        return NetworkView(
            defaultRoutes: usable.map { "\($0.interface) via \($0.gateway)" },
            addresses: Set(addresses))
    }
}
