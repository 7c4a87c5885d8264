import GeofenceAgent
import LinuxSystem
import WireFormat

/// Asks the running agent for its status.
public enum AgentInquiry {
    public enum Answer: Sendable {
        case running(AgentStatus)
        /// No socket, or nobody listens on it.
        case stopped
        /// This user may not ask.
        case forbidden
        case unreachable(reason: String)
    }

    /// Waits at most `milliseconds` for the answer.
    public static func status(at socket: String, milliseconds: Int) -> Answer {
        do throws(UnixSocketClient.Failure) {
            let client = try UnixSocketClient(path: socket)
            try client.send(line: (try? WireCoding.encode(ControlRequest(.status))) ?? [])
            guard let line = try client.nextLine(milliseconds: milliseconds) else {
                return .unreachable(reason: "the connection is closed without an answer")
            }
            if let refusal = try? WireCoding.decode(ControlFailure.self, from: line) {
                return .unreachable(reason: refusal.error.message)
            }
            guard let status = try? WireCoding.decode(AgentStatus.self, from: line) else {
                return .unreachable(reason: "an answer that is no status")
            }
            return .running(status)
        } catch {
            switch error {
            case .notRunning: return .stopped
            case .permissionDenied: return .forbidden
            default: return .unreachable(reason: error.description)
            }
        }
    }
}
