import CommandLineTool
import EmbeddedAgent
import GeofenceAgent
import LinuxSystem
import WireFormat

/// A question to the running agent over its control socket.
struct ControlCall {
    static let patienceMilliseconds = 10_000
    let path: String
    private let client: UnixSocketClient

    /// Throws with exit status 3 when no agent answers.
    init(_ request: ControlRequest, at path: String) throws {
        self.path = path
        do throws(UnixSocketClient.Failure) {
            client = try UnixSocketClient(path: path)
            try client.send(line: (try? WireCoding.encode(request)) ?? [])
        } catch {
            throw Self.failure(error)
        }
    }

    /// The socket that the configuration names.
    static func path(_ arguments: ParsedArguments) throws -> String {
        AgentPaths(try ConfigurationLoading.load(arguments).value).socket
    }

    /// The next line of the answer; nil at its end. Nil milliseconds wait for ever.
    func next(milliseconds: Int? = patienceMilliseconds) throws -> [UInt8]? {
        let line: [UInt8]?
        do throws(UnixSocketClient.Failure) {
            line = try client.nextLine(milliseconds: milliseconds)
        } catch {
            throw Self.failure(error)
        }
        if let line, let refusal = try? WireCoding.decode(ControlFailure.self, from: line) {
            throw CommandFailure(refusal.error.message)
        }
        return line
    }

    private static func failure(_ error: UnixSocketClient.Failure) -> CommandFailure {
        switch error {
        case .notRunning:
            CommandFailure("\(error): is the agent running?", status: .agentNotRunning)
        default: CommandFailure("\(error)")
        }
    }
}
