import CLinux
import Glibc
import Synchronization

/// One client of a control socket: one request line in, one or more lines out.
///
/// Sending never waits: a client that does not read has no room left once its limit is full, and it
/// is for the sender to wait for room or to let it go. Whoever handles the request calls `finish` in
/// the end, or leaves the connection open until the client goes.
public final class UnixSocketConnection: Sendable {
    /// Why a connection ended.
    public enum End: Hashable, Sendable {
        /// Everything was sent.
        case finished
        /// The client went away, or never asked.
        case left
        /// The client took nothing for too long.
        case tooSlow
        /// The request was longer than allowed.
        case requestTooLong
        case serverStopped
    }

    private struct State {
        var descriptor: SharedDescriptor?
        var received: [UInt8] = []
        var hasRequest = false
        var pending: [UInt8] = []
        var isFinishing = false
        /// When the client last took something, on the monotonic clock.
        var lastTaken: Int64 = 0
        /// Whether somebody looks whether the client still takes something.
        var isTimed = false
        var waiters: [CheckedContinuation<Bool, Never>] = []
        var end: End?
        var observers: [@Sendable (End) -> Void] = []
    }

    public let peer: PeerCredentials
    private let number: Int32
    private let limits: UnixSocketLimits
    private let loop: PollLoop
    private let state: Mutex<State>

    init(
        _ descriptor: SharedDescriptor, peer: PeerCredentials, limits: UnixSocketLimits,
        loop: PollLoop
    ) {
        self.peer = peer
        self.limits = limits
        self.loop = loop
        number = descriptor.number
        state = Mutex(State(descriptor: descriptor))
    }

    /// Sends a line; a line feed is added. False, and the line is not sent, when the client is gone,
    /// is being finished, or has more waiting for it than it may.
    @discardableResult
    public func send(line: some Collection<UInt8>) -> Bool {
        let (isTaken, end) = state.withLock { state -> (Bool, End?) in
            // Counted before this line: one line may be longer than the limit by itself.
            guard state.end == nil, !state.isFinishing,
                state.pending.count <= limits.maximumPendingBytes
            else { return (false, nil) }
            return (true, append(line, to: &state))
        }
        if let end { close(end) }
        return isTaken && isOpen
    }

    /// Waits until the client has taken most of what waits for it. False when it is gone: also when
    /// it takes nothing for as long as the limits allow.
    public func waitForRoom() async -> Bool {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> Bool? in
                guard state.end == nil else { return false }
                guard state.pending.count > limits.roomyPendingBytes else { return true }
                state.waiters.append(continuation)
                startTimer(&state)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// Closes the connection once the client has everything, `lastLine` included, for which there is
    /// always room.
    public func finish(lastLine: [UInt8]? = nil) {
        let end = state.withLock { state -> End? in
            guard state.end == nil, !state.isFinishing else { return nil }
            let failure = lastLine.flatMap { append($0, to: &state) }
            state.isFinishing = true
            if failure == nil, !state.pending.isEmpty { startTimer(&state) }
            return failure ?? (state.pending.isEmpty ? .finished : nil)
        }
        if let end { close(end) }
    }

    private func append(_ line: some Collection<UInt8>, to state: inout State) -> End? {
        if state.pending.isEmpty { state.lastTaken = MonotonicClock.milliseconds }
        state.pending.append(contentsOf: line)
        state.pending.append(10)
        return flush(&state)
    }

    /// Ends the connection when somebody waits for a client that takes nothing any more.
    private func startTimer(_ state: inout State) {
        guard !state.isTimed else { return }
        state.isTimed = true
        let idle = MonotonicClock.milliseconds - state.lastTaken
        loop.perform(afterMilliseconds: max(1, limits.patienceMilliseconds - Int(idle))) {
            [weak self] in self?.closeIfStalled()
        }
    }

    private func closeIfStalled() {
        let isStalled = state.withLock { state in
            state.isTimed = false
            guard state.end == nil, !state.pending.isEmpty,
                state.isFinishing || !state.waiters.isEmpty
            else { return false }
            let idle = MonotonicClock.milliseconds - state.lastTaken
            if idle >= limits.patienceMilliseconds { return true }
            startTimer(&state)
            return false
        }
        if isStalled { close(.tooSlow) }
    }

    /// Calls `observer` once when the connection ends, at once when it has ended.
    public func onEnd(_ observer: @escaping @Sendable (End) -> Void) {
        let end = state.withLock { state in
            if state.end == nil { state.observers.append(observer) }
            return state.end
        }
        if let end { observer(end) }
    }

    /// Whether lines can still be sent.
    public var isOpen: Bool { state.withLock { $0.end == nil } }

    /// Begins to listen; `handle` gets the request.
    func open(_ handle: @escaping @Sendable ([UInt8]) -> Void) -> Bool {
        loop.perform(afterMilliseconds: limits.patienceMilliseconds) { [weak self] in
            self?.closeIfSilent()
        }
        return loop.watch(number, for: Int16(POLLIN)) { events in self.process(events, handle) }
    }

    /// Tells a client too many so, before it is let go.
    func refuse() {
        guard !limits.refusalOfClient.isEmpty else { return }
        state.withLock { _ = append(limits.refusalOfClient, to: &$0) }
    }

    func close(_ end: End) {
        let (observers, waiters) = state.withLock { state in
            guard state.end == nil else {
                return ([@Sendable (End) -> Void](), [CheckedContinuation<Bool, Never>]())
            }
            // Before the number is free for the next connection.
            loop.forget(number)
            state.end = end
            state.descriptor = nil
            state.pending = []
            defer {
                state.observers = []
                state.waiters = []
            }
            return (state.observers, state.waiters)
        }
        for waiter in waiters { waiter.resume(returning: false) }
        for observer in observers { observer(end) }
    }

    private func closeIfSilent() {
        if state.withLock({ !$0.hasRequest }) { close(.left) }
    }

    private func process(_ events: Int16, _ handle: @Sendable ([UInt8]) -> Void) {
        if events & Int16(POLLIN) != 0 { receive(handle) }
        if events & Int16(POLLOUT) != 0 { drain() }
        // A client that only ends its own sending is not hung up: it waits for its answer.
        if events & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 { close(.left) }
    }

    private func receive(_ handle: @Sendable ([UInt8]) -> Void) {
        let (request, end) = state.withLock { state -> ([UInt8]?, End?) in
            guard state.end == nil, !state.hasRequest else { return (nil, nil) }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(number, &buffer, buffer.count)
            guard count != 0 else { return (nil, .left) }
            guard count > 0 else { return (nil, errno == EAGAIN || errno == EINTR ? nil : .left) }
            state.received += buffer[..<count]
            // A long request comes in many pieces: only the last one is looked through.
            guard buffer[..<count].contains(10) || state.received.count > limits.maximumRequestBytes
            else { return (nil, nil) }
            return takeRequest(&state)
        }
        if let end { close(end) }
        if let request { handle(request) }
    }

    private func takeRequest(_ state: inout State) -> ([UInt8]?, End?) {
        let line = state.received.prefix { $0 != 10 }
        guard line.count <= limits.maximumRequestBytes else {
            if !limits.refusalOfRequest.isEmpty { _ = append(limits.refusalOfRequest, to: &state) }
            return (nil, .requestTooLong)
        }
        guard line.count < state.received.count else { return (nil, nil) }
        state.hasRequest = true
        state.received = []
        // What else the client sends stays in the kernel's bounded buffer.
        loop.change(number, to: 0)
        return (Array(line), nil)
    }

    private func drain() {
        let (end, waiters) = state.withLock {
            state -> (End?, [CheckedContinuation<Bool, Never>]) in
            guard state.end == nil else { return (nil, []) }
            if let failure = flush(&state) { return (failure, []) }
            if state.pending.isEmpty, state.isFinishing { return (.finished, []) }
            guard state.pending.count <= limits.roomyPendingBytes else { return (nil, []) }
            defer { state.waiters = [] }
            return (nil, state.waiters)
        }
        for waiter in waiters { waiter.resume(returning: true) }
        if let end { close(end) }
    }

    /// Sends what the socket takes now; the loop continues when it takes more.
    private func flush(_ state: inout State) -> End? {
        var sent = 0
        while sent < state.pending.count {
            let count = state.pending[sent...].withUnsafeBytes {
                clinux_send(number, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno != EAGAIN { return .left }
            if count <= 0 { break }
            sent += count
        }
        if sent > 0 { state.lastTaken = MonotonicClock.milliseconds }
        state.pending.removeFirst(sent)
        loop.change(number, to: state.pending.isEmpty ? 0 : Int16(POLLOUT))
        return nil
    }
}
