import CMicrohttpd
import Glibc
import Synchronization

/// The one owner of a libmicrohttpd daemon and of everything that comes out of its callbacks.
///
/// `@unchecked`: `handle` is set once in `init`, and the library allows its calls from any thread;
/// `stop` is called once, by `HTTPServer.stop`, which runs once.
final class Daemon: @unchecked Sendable {
    private let handle: OpaquePointer
    private let context: Unmanaged<ServerCore>

    /// Nil where the library refuses; the descriptor then stays with the caller.
    init?(descriptor: Int32, core: ServerCore) {
        let limits = core.limits
        let context = Unmanaged.passRetained(core)
        var settings = geofence_mhd_settings()
        settings.listen_socket = descriptor
        settings.threads = UInt32(clamping: limits.networkThreads)
        // The library wants at least one connection for each of its threads.
        settings.connections = UInt32(clamping: max(limits.connections, limits.networkThreads))
        settings.connections_per_address = UInt32(clamping: limits.connectionsPerAddress)
        settings.idle_seconds = UInt32(clamping: Int(limits.idleSeconds) + 1)
        settings.memory_per_connection = limits.headerBytes
        settings.context = context.toOpaque()
        settings.accepts = DaemonCallbacks.accepts
        settings.handler = DaemonCallbacks.handle
        settings.connection_changed = DaemonCallbacks.connectionChanged
        settings.request_completed = DaemonCallbacks.requestCompleted
        settings.request_line = DaemonCallbacks.requestLine
        guard let handle = geofence_mhd_start(&settings) else {
            context.release()
            return nil
        }
        self.handle = handle
        self.context = context
    }

    /// Closes the listening socket and all connections, and ends the library's threads. No worker
    /// may hold a connection.
    func stop() {
        MHD_stop_daemon(handle)
        context.release()
    }
}
