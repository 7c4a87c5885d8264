import GeofenceAgent
import Glibc
import LinuxSystem
import WireFormat

/// The control socket of a running agent: requests of the command line, answered by the responder.
final class ControlSocket: Sendable {
    private let server: UnixSocketServer

    /// Who may change something, besides root and the agent's own user.
    private static let adminGroup = "geofenced-admin"
    /// Bytes of a request: fences of thousands of vertices.
    private static let requestLimit = 1 << 20

    /// Listens. The group `geofenced` may read and write the socket, where the group exists.
    init(path: String, responder: ControlResponder, tasks: TaskThread) throws(StartError) {
        do throws(SystemError) {
            server = try UnixSocketServer(
                path: path, group: "geofenced", limits: Self.limits, on: tasks.loop
            ) { request, client in
                Task(executorPreference: tasks) {
                    await responder.respond(to: request, client: SocketClient(client)) {
                        client.peer.isOwner || client.peer.isMember(ofGroup: Self.adminGroup)
                    }
                }
            }
        } catch {
            throw StartError(.environment, Self.problem(path, error))
        }
    }

    private static var limits: UnixSocketLimits {
        var limits = UnixSocketLimits()
        limits.maximumRequestBytes = requestLimit
        limits.refusalOfRequest = line(
            .badRequest, "the request is longer than \(requestLimit) bytes")
        limits.refusalOfClient = line(
            .tooManyClients,
            "too many clients (limit \(limits.maximumClients)): end a 'geofenced watch' first")
        return limits
    }

    private static func line(_ code: ControlFailure.Code, _ message: String) -> [UInt8] {
        (try? WireCoding.encode(ControlFailure(code, message: message))) ?? []
    }

    /// Why there is no socket at `path`, with the key that names it.
    private static func problem(_ path: String, _ error: SystemError) -> String {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        switch error.code {
        case ENOENT:
            return "socket \(path): \(folder) does not exist: make it, or set the key socket"
        case EADDRINUSE: return "socket \(path): another agent listens there"
        case EEXIST: return "socket \(path): a file that is no socket is in the way"
        default: return "socket \(path): \(error.reason)"
        }
    }

    /// Ends all connections and removes the socket.
    func stop() { server.stop() }
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
