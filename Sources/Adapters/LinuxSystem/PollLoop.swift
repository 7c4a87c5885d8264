import Glibc
import Synchronization

/// One thread that waits for many descriptors: signals, the control socket, network changes.
///
/// Handlers run on that thread, one after the other, and must not block for longer than the others on
/// the same loop may wait.
public final class PollLoop: Sendable {
    /// Most descriptors that one loop watches.
    public static let maximumDescriptors = 256
    /// Milliseconds that work is delayed at most, a year; a longer delay becomes this one.
    private static let longestDelay = 365 * 86_400_000

    /// What a handler is told: the events of poll(2) that occurred, such as POLLIN or POLLHUP.
    public typealias Handler = @Sendable (_ events: Int16) -> Void

    private struct Watch {
        /// Tells a new watch from an old one of the same descriptor number.
        var id: UInt64
        var events: Int16
        var handler: Handler
    }

    private struct Timer {
        var deadline: Int64
        var handler: @Sendable () -> Void
    }

    private struct State {
        var watches: [Int32: Watch] = [:]
        var timers: [UInt64: Timer] = [:]
        var lastID: UInt64 = 0
        var pending: [@Sendable () -> Void] = []
        var isStopping = false
    }

    private let state: SharedState
    private let wake: WakeEvent
    private let thread: DedicatedThread

    private final class SharedState: Sendable {
        let value = Mutex(State())
    }

    /// Starts the thread.
    public init(name: String) throws(SystemError) {
        let state = SharedState()
        let wake = try WakeEvent()
        self.state = state
        self.wake = wake
        thread = try DedicatedThread(name: name) { Self.run(state, wake) }
    }

    deinit {
        state.value.withLock { $0.isStopping = true }
        wake.signal()
    }

    /// Calls `handler` whenever one of `events` (and always when POLLHUP or POLLERR) occurs.
    /// A second call for the same descriptor replaces the first. False when the loop is full.
    @discardableResult
    public func watch(_ descriptor: Int32, for events: Int16, _ handler: @escaping Handler) -> Bool
    {
        let isAdded = state.value.withLock { state in
            guard state.watches[descriptor] != nil || state.watches.count < Self.maximumDescriptors
            else { return false }
            state.lastID += 1
            state.watches[descriptor] = Watch(id: state.lastID, events: events, handler: handler)
            return true
        }
        wake.signal()
        return isAdded
    }

    /// Changes what is waited for; nothing when the descriptor is not watched.
    public func change(_ descriptor: Int32, to events: Int16) {
        state.value.withLock { $0.watches[descriptor]?.events = events }
        wake.signal()
    }

    /// Watches it no longer; call it before the descriptor is closed. A handler that runs just now
    /// finishes, so it holds what keeps its descriptor open.
    public func forget(_ descriptor: Int32) {
        state.value.withLock { _ = $0.watches.removeValue(forKey: descriptor) }
        wake.signal()
    }

    /// Runs `work` on the loop's thread soon.
    public func perform(_ work: @escaping @Sendable () -> Void) {
        state.value.withLock { $0.pending.append(work) }
        wake.signal()
    }

    /// Runs `work` on the loop's thread once, after a time; returns what `cancelTimer` needs.
    @discardableResult
    public func perform(
        afterMilliseconds delay: Int, _ work: @escaping @Sendable () -> Void
    ) -> UInt64 {
        let timer = state.value.withLock { state in
            state.lastID += 1
            state.timers[state.lastID] = Timer(
                deadline: MonotonicClock.milliseconds
                    &+ Int64(min(max(0, delay), Self.longestDelay)),
                handler: work)
            return state.lastID
        }
        wake.signal()
        return timer
    }

    /// Forgets delayed work that has not begun; nothing for work that has. It wakes nobody.
    public func cancelTimer(_ timer: UInt64) {
        state.value.withLock { _ = $0.timers.removeValue(forKey: timer) }
    }

    /// Ends the thread; false when a handler keeps it for longer than a second.
    @discardableResult
    public func stop() -> Bool {
        state.value.withLock { $0.isStopping = true }
        wake.signal()
        return thread.join(milliseconds: 1000)
    }

    private static func run(_ state: SharedState, _ wake: WakeEvent) {
        while true {
            let (watched, timeout, isStopping) = state.value.withLock { state in
                (watches(of: state), waitingTime(of: state), state.isStopping)
            }
            if isStopping { return }
            var descriptors =
                [pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0)]
                + watched.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
            let ready = poll(&descriptors, nfds_t(descriptors.count), timeout)
            // Out of memory at worst: wait a little instead of spinning.
            if ready < 0, errno != EINTR { usleep(100_000) }
            wake.clear()
            for work in takeDue(state) { work() }
            guard ready > 0 else { continue }
            for (watch, found) in zip(watched, descriptors.dropFirst()) where found.revents != 0 {
                handler(of: watch.descriptor, watch.id, state)?(found.revents)
            }
        }
    }

    private static func watches(of state: State) -> [(descriptor: Int32, id: UInt64, events: Int16)]
    {
        state.watches.map { ($0.key, $0.value.id, $0.value.events) }
    }

    private static func waitingTime(of state: State) -> Int32 {
        guard let next = state.timers.values.map(\.deadline).min() else { return -1 }
        return Int32(clamping: max(0, next - MonotonicClock.milliseconds))
    }

    private static func takeDue(_ state: SharedState) -> [@Sendable () -> Void] {
        state.value.withLock { state in
            let now = MonotonicClock.milliseconds
            let due = state.timers.filter { $0.value.deadline <= now }
                .sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
            for timer in due { state.timers[timer.key] = nil }
            defer { state.pending = [] }
            return state.pending + due.map(\.value.handler)
        }
    }

    /// Nil when somebody has forgotten the watch since, even if its number is in use again.
    private static func handler(of descriptor: Int32, _ id: UInt64, _ state: SharedState)
        -> Handler?
    {
        state.value.withLock { state in
            state.watches[descriptor].flatMap { $0.id == id ? $0.handler : nil }
        }
    }
}
