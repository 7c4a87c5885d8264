import CommandLineTool
import EmbeddedAgent
import GeofenceAgent
import LinuxSystem
import WireFormat

/// `geofenced queue flush`: send what waits, now.
enum QueueFlushCommand: Command {
    static let declaration = CommandDeclaration(
        "queue flush", summary: "send the events that wait to the server now",
        example: "queue flush --timeout 120",
        discussion: """
            A running agent is asked over its socket, and stops waiting for whatever it waits for. \
            Without one, this command takes the queue and uploads by itself; of the configuration \
            it needs only server, device and state_directory, so it works also where the agent \
            does not start for a mistake elsewhere. It ends when nothing is left, when the server \
            cannot be reached or refuses, or after the timeout. Exit status 0: nothing is left; \
            1: something is, standard error says why; 4: nothing is left, and the server refused \
            events for good, see `geofenced queue dead`.
            """,
        options: [
            ConfigurationLoading.option,
            .value("timeout", "SECONDS", "longest wait", default: "60"),
            .flag("if-stopped", "do nothing where the agent runs, or no server is configured"),
            .flag("json", "one JSON object, schema geofenced.flush/1"),
        ])

    private static let timeouts = 1...3600
    /// For the answer of an agent, on top of the timeout.
    private static let patienceSeconds = 1

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let configuration = try ConfigurationLoading.delivery(arguments)
        let seconds = try arguments.int("timeout", in: timeouts) ?? 60
        if arguments.flag("if-stopped"), configuration.server == nil {
            console.note("no server is configured: there is nothing to do")
            return .success
        }
        let report: FlushReport
        if let running = try ask(configuration, seconds, arguments) {
            guard let answer = running.report else {
                console.note("the agent runs: it sends by itself")
                return .success
            }
            report = answer
        } else {
            report = try await drain(configuration, Double(seconds))
        }
        if arguments.flag("json") {
            try console.print(String(decoding: try WireCoding.encode(report), as: UTF8.self))
        } else {
            try console.print(report.summary)
        }
        for remark in report.remarks { console.note(remark) }
        return switch report.outcome {
        case .sent: .success
        case .refused: .degraded
        case .left: .failure
        }
    }

    private struct Running {
        /// Nil: it was not asked.
        var report: FlushReport?
    }

    /// Nil: no agent runs.
    private static func ask(
        _ configuration: AgentConfiguration, _ seconds: Int, _ arguments: ParsedArguments
    ) throws -> Running? {
        var request = ControlRequest(arguments.flag("if-stopped") ? .status : .flush)
        request.timeoutSeconds = Double(seconds)
        let call: ControlCall
        do {
            call = try ControlCall(request, at: AgentPaths(configuration).socket)
        } catch let failure as CommandFailure where failure.status == .agentNotRunning {
            return nil
        }
        guard !arguments.flag("if-stopped") else { return Running(report: nil) }
        let line = try answer(call, milliseconds: (seconds + patienceSeconds) * 1000)
        if let refusal = ControlCall.refusal(line) { throw CommandFailure(refusal.error.message) }
        return Running(report: try WireCoding.decode(FlushReport.self, from: line))
    }

    private static func answer(_ call: ControlCall, milliseconds: Int) throws -> [UInt8] {
        do throws(UnixSocketClient.Failure) {
            if let line = try call.line(milliseconds: milliseconds) { return line }
        } catch {
            guard error == .timedOut else { throw error }
            throw CommandFailure(
                "\(call.path): the agent does not answer: it may be stopped or stuck, "
                    + "see `systemctl status geofenced`")
        }
        throw CommandFailure("\(call.path): the agent closed the connection")
    }

    private static func drain(
        _ configuration: AgentConfiguration, _ seconds: Double
    ) async throws -> FlushReport {
        let log = JournalLogSink(threshold: .notice)
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<FlushReport, any Error>, Never>) in
            do throws(SystemError) {
                _ = try DedicatedThread(name: "drain") {
                    continuation.resume(
                        returning: Result {
                            try StoppedAgent(configuration, log: log).drain(seconds: seconds)
                        })
                }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        do {
            return try result.get()
        } catch let error as StartError {
            throw CommandFailure(
                error.description, status: error.kind == .configuration ? .configuration : .failure)
        }
    }
}
