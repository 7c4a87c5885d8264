/// What a program tells its caller by its exit status; the same for all three programs.
public enum ExitCode: Int32, Sendable, CaseIterable {
    case success = 0
    /// The work could not be done; standard error says why.
    case failure = 1
    /// The command line is wrong.
    case usage = 2
    /// Nobody answers on the agent's control socket.
    case agentNotRunning = 3
    /// The work is done, or the agent runs, but something needs a person.
    case degraded = 4
    /// A measured figure missed the threshold that was asked for.
    case thresholdMissed = 5
    /// The input does not allow an answer.
    case inconclusive = 6
    /// The configuration is refused (EX_CONFIG of sysexits.h); the service is not restarted.
    case configuration = 78
}
