import CMicrohttpd
import Glibc
import Synchronization

/// An HTTP/1.1 server over libmicrohttpd: network threads of the library receive and send, a fixed
/// pool of workers for each lane handles, so that a handler may block without holding up other
/// connections, and a lane that is stuck does not hold up the other.
///
/// Every request has a deadline of its own besides the library's time-out, which only knows
/// inactivity. Nothing of the library, no pointer and no callback, is visible outside.
public final class HTTPServer: Sendable {
    /// Where it listens, with the port that the system chose for port 0.
    public let address: ListenAddress
    private let daemon: Daemon
    private let core: ServerCore
    private let watchdog: Watchdog

    /// The lane of a request. Called on a network thread: it must not block.
    public typealias LaneChoice = @Sendable (Request) -> WorkLane
    /// Answers one request on a worker's thread; it may block.
    public typealias Handler = @Sendable (Request) -> Response
    /// Forms the answer to a request that is not handled; the request may lack its body.
    public typealias RefusalHandler = @Sendable (Refusal, Request) -> Response

    /// Listens at once. `accessLog` is called after each request, on a network thread.
    public init(
        listeningOn wanted: ListenAddress, limits: ServerLimits = ServerLimits(),
        refusal: @escaping RefusalHandler = { reason, _ in reason.plainResponse },
        accessLog: @escaping @Sendable (AccessRecord) -> Void = { _ in },
        lane: @escaping LaneChoice = { _ in .reads },
        handler: @escaping Handler
    ) throws(StartError) {
        let socket = try ListeningSocket.open(wanted)
        let core = ServerCore(
            limits: limits, lane: lane, handler: handler, refusal: refusal, accessLog: accessLog)
        guard let daemon = Daemon(descriptor: socket.descriptor, core: core) else {
            close(socket.descriptor)
            core.stopWorkers()
            throw StartError(address: wanted, call: "MHD_start_daemon", code: errno)
        }
        address = socket.address
        self.core = core
        self.daemon = daemon
        watchdog = Watchdog(core.connections, core.delayed)
    }

    /// Connections that are open now.
    public var connectionCount: Int { core.connections.count }

    /// Turns new clients away, lets running requests end for up to `seconds`, then closes
    /// everything. Blocks; a second call does nothing.
    public func stop(drainingFor seconds: Double = 5) {
        guard core.beginDraining() else { return }
        core.delayed.close()
        watchdog.closeIdleConnections()
        let deadline = ContinuousClock.now.advanced(by: .seconds(seconds))
        while core.connections.count > 0, ContinuousClock.now < deadline {
            usleep(5_000)
        }
        // The library must not stop while a worker still holds one of its connections.
        core.stopWorkers()
        daemon.stop()
        watchdog.stop()
    }

    deinit {
        stop(drainingFor: 0)
    }
}
