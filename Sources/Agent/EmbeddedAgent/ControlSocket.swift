import GeofenceAgent
import LinuxSystem

/// The control socket of a running agent: requests of the command line, answered by the responder.
final class ControlSocket: Sendable {
    private let loop: PollLoop
    private let server: UnixSocketServer

    /// Who may change something, besides root and the agent's own user.
    private static let adminGroup = "geofenced-admin"
    /// Bytes of a request: fences of thousands of vertices.
    private static let requestLimit = 1 << 20

    /// Listens. The group `geofenced` may read and write the socket, where the group exists.
    init(path: String, responder: ControlResponder, tasks: TaskThread) throws(SystemError) {
        loop = try PollLoop(name: "control")
        var limits = UnixSocketLimits()
        limits.maximumRequestBytes = Self.requestLimit
        server = try UnixSocketServer(
            path: path, group: "geofenced", limits: limits, on: loop
        ) { request, client in
            Task(executorPreference: tasks) {
                await responder.respond(to: request, client: SocketClient(client)) {
                    client.peer.isOwner || client.peer.isMember(ofGroup: Self.adminGroup)
                }
            }
        }
    }

    /// Ends all connections and removes the socket.
    func stop() {
        server.stop()
        loop.stop()
    }
}

extension ThreadExecutor: ControlThread {}
extension TaskThread: ServiceThread {}

/// One client as the responder sees it.
private struct SocketClient: ControlClient {
    private let connection: UnixSocketConnection

    init(_ connection: UnixSocketConnection) {
        self.connection = connection
    }

    func send(line: [UInt8]) -> Bool { connection.send(line: line) }

    func waitForRoom() async -> Bool { await connection.waitForRoom() }

    func finish(lastLine: [UInt8]?) { connection.finish(lastLine: lastLine) }

    func onEnd(_ observer: @escaping @Sendable () -> Void) { connection.onEnd { _ in observer() } }

    var isOpen: Bool { connection.isOpen }
}
