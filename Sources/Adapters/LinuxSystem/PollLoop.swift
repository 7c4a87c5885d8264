import Glibc
import Synchronization

/// One thread that waits for many descriptors: signals, the control socket, network changes.
///
/// Handlers run on that thread, one after the other, and must not block.
public final class PollLoop: Sendable {
    /// Most descriptors that one loop watches.
    public static let maximumDescriptors = 256

    /// What a handler is told: the events of poll(2) that occurred, such as POLLIN or POLLHUP.
    public typealias Handler = @Sendable (_ events: Int16) -> Void

    private struct Watch {
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
        var nextTimer: UInt64 = 0
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
            state.watches[descriptor] = Watch(events: events, handler: handler)
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

    /// Watches it no longer. A handler that is running keeps what it captured: a descriptor is safely
    /// closed by capturing its `SharedDescriptor` and nothing else.
    public func forget(_ descriptor: Int32) {
        state.value.withLock { _ = $0.watches.removeValue(forKey: descriptor) }
        wake.signal()
    }

    /// Runs `work` on the loop's thread soon.
    public func perform(_ work: @escaping @Sendable () -> Void) {
        state.value.withLock { $0.pending.append(work) }
        wake.signal()
    }

    /// Runs `work` on the loop's thread once, after a time.
    public func perform(afterMilliseconds delay: Int, _ work: @escaping @Sendable () -> Void) {
        state.value.withLock { state in
            state.nextTimer += 1
            state.timers[state.nextTimer] = Timer(
                deadline: MonotonicClock.milliseconds + Int64(max(0, delay)), handler: work)
        }
        wake.signal()
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
                (pollSet(of: state, wake), waitingTime(of: state), state.isStopping)
            }
            if isStopping { return }
            var descriptors = watched
            let ready = poll(&descriptors, nfds_t(descriptors.count), timeout)
            // Out of memory at worst: wait a little instead of spinning.
            if ready < 0, errno != EINTR { usleep(100_000) }
            wake.clear()
            for work in takeDue(state) { work() }
            for descriptor in descriptors where descriptor.revents != 0 {
                handler(of: descriptor, state)?(descriptor.revents)
            }
        }
    }

    private static func pollSet(of state: State, _ wake: WakeEvent) -> [pollfd] {
        [pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0)]
            + state.watches.map { pollfd(fd: $0.key, events: $0.value.events, revents: 0) }
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

    /// Nil when an earlier handler of the same round has forgotten the descriptor.
    private static func handler(of descriptor: pollfd, _ state: SharedState) -> Handler? {
        state.value.withLock { $0.watches[descriptor.fd]?.handler }
    }
}
