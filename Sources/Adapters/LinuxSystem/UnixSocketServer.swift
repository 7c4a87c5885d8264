import CLinux
import Glibc
import Synchronization

/// Listens on a Unix socket for clients that each send one line and get one or more lines back.
///
/// Its work is done on a `PollLoop`; no client can make it wait.
public final class UnixSocketServer: Sendable {
    /// Clients so far and now.
    public struct Counts: Hashable, Sendable {
        public var connected = 0
        public var accepted = 0
        /// Closed at once because the limit was reached.
        public var refused = 0
        /// Dropped because they read too slowly.
        public var dropped = 0
    }

    /// What is called with each request, on the loop's thread; it returns at once.
    public typealias Handler = @Sendable (_ request: [UInt8], UnixSocketConnection) -> Void

    public let path: String
    private let limits: UnixSocketLimits
    private let loop: PollLoop
    private let listenerNumber: Int32
    private let place: SocketPlace
    private let state: Mutex<State>

    private struct State {
        /// Nil once the server was stopped.
        var listener: SharedDescriptor?
        var counts = Counts()
        var connections: [ObjectIdentifier: UnixSocketConnection] = [:]
    }

    /// Listens at `path`. The file gets `mode` and, where it exists, `group`.
    ///
    /// The file of a server that is gone is replaced. Throws EADDRINUSE while another one listens
    /// there, EEXIST when the path is no socket, ENAMETOOLONG over 107 bytes.
    public init(
        path: String, mode: mode_t = 0o660, group: String? = nil,
        limits: UnixSocketLimits = UnixSocketLimits(), on loop: PollLoop,
        handler: @escaping Handler
    ) throws(SystemError) {
        self.path = path
        self.limits = limits
        self.loop = loop
        place = try SocketPlace(path)
        let listener = try place.listen(mode: mode, group: group)
        listenerNumber = listener.number
        state = Mutex(State(listener: listener))
        loop.watch(listenerNumber, for: Int16(POLLIN)) { [weak self] _ in
            self?.acceptAll(handler)
        }
    }

    public var counts: Counts { state.withLock { $0.counts } }

    /// Ends all connections and removes the file.
    public func stop() {
        let open = state.withLock { state -> [UnixSocketConnection]? in
            guard state.listener != nil else { return nil }
            // Before the number is free for somebody else.
            loop.forget(listenerNumber)
            // Also for the copy that a child has between fork and exec: else clients would wait on it.
            clinux_stop_listening(listenerNumber)
            state.listener = nil
            return Array(state.connections.values)
        }
        // A second call must not remove the file of the next server.
        guard let open else { return }
        for connection in open { connection.close(.serverStopped) }
        place.leave()
    }

    deinit {
        if state.withLock({ $0.listener != nil }) { loop.forget(listenerNumber) }
    }

    private func acceptAll(_ handler: @escaping Handler) {
        while let listener = state.withLock({ $0.listener }) {
            let number = clinux_accept(listener.number)
            if number < 0 {
                if errno == EINTR || errno == ECONNABORTED { continue }
                if errno != EAGAIN { pause() }
                return
            }
            admit(SharedDescriptor(owning: number), handler)
        }
    }

    /// Without descriptors or memory accept(2) fails again and again: look again in a second.
    private func pause() {
        loop.change(listenerNumber, to: 0)
        loop.perform(afterMilliseconds: 1000) { [weak self] in
            guard let self, state.withLock({ $0.listener != nil }) else { return }
            loop.change(listenerNumber, to: Int16(POLLIN))
        }
    }

    private func admit(_ descriptor: SharedDescriptor, _ handler: @escaping Handler) {
        guard let peer = try? PeerCredentials(socket: descriptor.number) else { return }
        let connection = UnixSocketConnection(descriptor, peer: peer, limits: limits, loop: loop)
        let isAdmitted = state.withLock { state in
            guard state.listener != nil, state.connections.count < limits.maximumClients else {
                state.counts.refused += 1
                return false
            }
            state.connections[ObjectIdentifier(connection)] = connection
            state.counts.accepted += 1
            state.counts.connected = state.connections.count
            return true
        }
        guard isAdmitted else { return connection.refuse() }
        let id = ObjectIdentifier(connection)
        connection.onEnd { [weak self] end in self?.forget(id, end) }
        let isWatched = connection.open { [weak connection] request in
            if let connection { handler(request, connection) }
        }
        if !isWatched { connection.close(.serverStopped) }
    }

    private func forget(_ id: ObjectIdentifier, _ end: UnixSocketConnection.End) {
        state.withLock { state in
            state.connections[id] = nil
            state.counts.connected = state.connections.count
            if end == .tooSlow { state.counts.dropped += 1 }
        }
    }
}
