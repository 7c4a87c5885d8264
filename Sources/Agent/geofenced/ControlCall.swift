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

    /// The line of an answer that is one line. Throws what the agent refuses, in the words that
    /// `words` finds for it.
    func answer(
        _ words: (ControlFailure) throws -> String = \.error.message
    ) throws -> [UInt8] {
        guard let line = try next(words) else {
            throw CommandFailure("\(path): the agent closed the connection")
        }
        return line
    }

    /// The next line of the answer; nil at its end. Throws what the agent refuses.
    func next(
        _ words: (ControlFailure) throws -> String = \.error.message
    ) throws -> [UInt8]? {
        let line: [UInt8]?
        do throws(UnixSocketClient.Failure) {
            line = try self.line(milliseconds: Self.patienceMilliseconds)
        } catch {
            throw Self.failure(error)
        }
        if let line, let refusal = Self.refusal(line) {
            throw CommandFailure(try words(refusal))
        }
        return line
    }

    /// Asks, and gives the one line of the answer.
    static func line(_ request: ControlRequest, _ arguments: ParsedArguments) throws -> [UInt8] {
        try ControlCall(request, at: try path(arguments)).answer()
    }

    /// Asks about a fence. That it is not known is said with the id that was perhaps meant.
    static func line(
        _ request: ControlRequest, about fence: String, _ arguments: ParsedArguments
    ) throws -> [UInt8] {
        let path = try path(arguments)
        return try ControlCall(request, at: path).answer { refusal in
            guard refusal.error.code == ControlFailure.Code.notFound.rawValue else {
                return refusal.error.message
            }
            let known = try ControlCall(ControlRequest(.fences), at: path).answer()
            let ids = try WireCoding.decode(FenceList.self, from: known).fences.map(\.id)
            return refusal.error.message + Spelling.suggestion(for: fence, among: ids)
        }
    }

    /// The next line, whatever it says; nil at the end. Nil milliseconds wait for ever.
    func line(milliseconds: Int?) throws(UnixSocketClient.Failure) -> [UInt8]? {
        try client.nextLine(milliseconds: milliseconds)
    }

    /// What a line says, where it is the agent's no.
    static func refusal(_ line: [UInt8]) -> ControlFailure? {
        try? WireCoding.decode(ControlFailure.self, from: line)
    }

    private static func failure(_ error: UnixSocketClient.Failure) -> CommandFailure {
        switch error {
        case .notRunning:
            CommandFailure("\(error): is the agent running?", status: .agentNotRunning)
        default: CommandFailure("\(error)")
        }
    }
}
