import Foundation
import TestSupport
import Testing

/// Real agent, real server, real command line; about 15 seconds.
@Suite("The queue's commands")
struct QueueCommandTests {
    private struct Line: Decodable {
        let schema: String
        let status: String
        let answer: String?
        let reason: String?
        let event: KioskAgent.Row
    }

    private struct Flush: Decodable {
        let schema: String
        let agent: String
        let end: String
        let acknowledged: Int
        let pending: Int
        let server: String
    }

    private func run(
        _ agent: KioskAgent, _ arguments: [String]
    ) throws -> (status: Int32?, output: [UInt8], errors: String) {
        let program = try BuiltProgram(
            "geofenced", ["queue"] + arguments + ["--config", agent.configuration],
            in: agent.folder.path)
        let status = program.end(within: 30)
        return (status, program.output, program.errors)
    }

    private func lines(_ agent: KioskAgent, _ arguments: [String]) throws -> [Line] {
        let (status, output, errors) = try run(agent, arguments)
        #expect(status == 0, "\(errors)")
        return try output.split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(Line.self, from: Data($0))
        }
    }

    private func flush(_ agent: KioskAgent, _ arguments: String...) throws -> (
        Int32?, Flush?, String
    ) {
        let (status, output, errors) = try run(agent, ["flush", "--json"] + arguments)
        return (status, try? JSONDecoder().decode(Flush.self, from: Data(output)), errors)
    }

    /// An agent with three events that cannot be sent: nobody listens at its server's address.
    private func agentWithEvents(_ more: String = "") throws -> KioskAgent {
        let agent = try KioskAgent()
        let program = try agent.start()
        try #require(
            eventually(within: 20) { agent.recorded().count >= 3 }, "\(program.errors)")
        program.send(SIGTERM)
        try #require(program.end(within: 10) == 0)
        return agent
    }

    private func configure(_ agent: KioskAgent, url: String, key: String, more: String = "") throws
    {
        try agent.configure(
            "server: { url: \"\(url)\", key_file: \(key) }\nupload: { interval_s: 1 }\n\(more)")
    }

    @Test("a stopped agent's events are shown, exported, and sent without it")
    func stopped() async throws {
        let agent = try agentWithEvents()
        let waiting = try lines(agent, ["list", "--json"])
        #expect(waiting.map(\.event.type).prefix(3) == ["enter", "dwell", "visit_started"])
        #expect(waiting.allSatisfy { $0.schema == "geofenced.queued/1" && $0.status == "pending" })
        let text = String(decoding: try run(agent, ["list", "--limit", "1"]).output, as: UTF8.self)
        #expect(text.contains("#1 enter desk") && text.split(separator: "\n").count == 1)
        let exported = try lines(agent, ["export", "--status", "pending"])
        #expect(exported.map(\.event) == waiting.map(\.event))
        #expect(try lines(agent, ["dead", "--json"]).isEmpty)

        // Nobody answers: nothing is lost, and the exit status says so.
        try agent.write("key", "gk_live_x\n")
        try configure(agent, url: "http://127.0.0.1:9", key: agent.folder.file("key"))
        let failed = try flush(agent, "--timeout", "5")
        #expect(failed.0 == 1 && failed.2.contains("connectFailed"), "\(failed.2)")
        #expect(failed.1?.end == "failed" || failed.1?.end == "timeout")
        #expect(failed.1?.pending == waiting.count)

        // A mistake elsewhere keeps the agent from starting, and not the events from the server.
        let server = try ServerBench(in: agent.folder)
        try configure(
            agent, url: server.url, key: server.keyFile, more: "receiver: { baud: fast }\nx: 1")
        let refused = try BuiltProgram(
            "geofenced", ["config", "check", "--config", agent.configuration],
            in: agent.folder.path)
        #expect(refused.end(within: 10) == 78)
        let sent = try flush(agent)
        #expect(sent.0 == 0, "\(sent.2)")
        #expect(sent.1?.schema == "geofenced.flush/1" && sent.1?.agent == "stopped")
        #expect(sent.1?.acknowledged == waiting.count && sent.1?.end == "empty")
        #expect(try lines(agent, ["list", "--json"]).isEmpty)
        #expect(try run(agent, ["list"]).errors.contains("0 events wait"))
        #expect(try lines(agent, ["export"]).allSatisfy { $0.status == "acknowledged" })
        let stored = try await server.ask("GET", "/v1/admin/events")
        #expect(
            String(decoding: stored, as: UTF8.self).components(separatedBy: "client_event_id").count
                == waiting.count + 1)
        let again = try flush(agent)
        #expect(again.0 == 0 && again.1?.acknowledged == 0 && again.1?.server == "unknown")
    }

    @Test(
        "a running agent sends at once what waits for its backoff, and --if-stopped leaves it alone"
    )
    func running() async throws {
        let agent = try agentWithEvents()
        try agent.write("key", "gk_live_x\n")
        let server = try ServerBench(in: agent.folder)
        // The wrong key pauses uploads for a quarter of an hour.
        try configure(agent, url: server.url, key: agent.folder.file("key"))
        let program = try agent.start()
        #expect(
            eventually(within: 20) { program.errors.contains("server authenticationFailed") },
            "\(program.errors)")
        // A part of it that stands still is not waited for.
        program.send(SIGSTOP)
        let asked = Date()
        let frozen = try run(agent, ["flush", "--timeout", "2"])
        #expect(Date().timeIntervalSince(asked) < 10, "of 2 s, and the start of the program")
        program.send(SIGCONT)
        #expect(frozen.status == 1, "\(frozen.errors)")
        #expect(
            frozen.errors.contains("control.sock: the agent does not answer"), "\(frozen.errors)")
        let untouched = try run(agent, ["flush", "--if-stopped"])
        #expect(untouched.status == 0 && untouched.errors.contains("sends by itself"))
        let failed = try flush(agent)
        #expect(failed.0 == 1 && failed.1?.agent == "running" && failed.1?.end == "failed")
        #expect(failed.1?.server == "authenticationFailed", "\(failed.2)")
        #expect(try lines(agent, ["list", "--json"]).count >= 3, "beside the running agent")
        program.send(SIGTERM)
        #expect(program.end(within: 10) == 0)

        try configure(agent, url: server.url, key: server.keyFile)
        let right = try agent.start()
        #expect(eventually(within: 20) { !agent.answer("status").isEmpty }, "\(right.errors)")
        #expect(
            eventually(within: 20) { (try? flush(agent))?.1?.end == "empty" }, "\(right.errors)")
        #expect(try flush(agent).0 == 0)
        right.send(SIGTERM)
        #expect(right.end(within: 10) == 0)
        let standalone = try KioskAgent()
        let alone = try standalone.start()
        #expect(eventually(within: 20) { !standalone.answer("status").isEmpty })
        let none = try flush(standalone)
        #expect(none.0 == 1 && none.2.contains("no server is configured"), "\(none.2)")
        let drained = try run(standalone, ["flush", "--if-stopped"])
        #expect(drained.status == 0 && drained.errors.contains("no server is configured"))
        #expect(!drained.errors.contains("by itself"), "\(drained.errors)")
        alone.send(SIGTERM)
        #expect(alone.end(within: 10) == 0)
        let stopped = try run(standalone, ["flush", "--if-stopped"])
        #expect(stopped.status == 0 && stopped.errors.contains("no server is configured"))
    }

    @Test("what is not there, empty, damaged or newer is said in words, with a status")
    func troubles() throws {
        let agent = try KioskAgent()
        let state = agent.folder.file("state")
        for command in ["list", "dead", "export"] {
            let none = try run(agent, [command])
            #expect(none.status == 1, "\(none.errors)")
            #expect(none.errors.contains("no queue yet in \(state)"), "\(none.errors)")
        }
        let program = try agent.start()
        #expect(eventually(within: 20) { agent.recorded().count == 3 }, "\(program.errors)")
        let dead = try run(agent, ["dead"])
        #expect(dead.status == 0 && dead.output.isEmpty)
        #expect(dead.errors.contains("0 events were refused for good"), "\(dead.errors)")
        program.send(SIGTERM)
        #expect(program.end(within: 10) == 0)
        let queue = URL(fileURLWithPath: agent.folder.file("state/queue.db"))
        var bytes = try Data(contentsOf: queue)
        bytes.replaceSubrange(60..<64, with: [0, 0, 3, 0])
        for (content, status, words) in [
            (Data(), 1, "geofenced doctor"), (Data("no queue".utf8), 1, "geofenced doctor"),
            (bytes, 78, "install the newer geofenced"),
        ] as [(Data, Int32, String)] {
            try content.write(to: queue)
            let refused = try run(agent, ["list"])
            #expect(refused.status == status, "\(refused.errors)")
            #expect(refused.errors.contains(words), "\(refused.errors)")
            #expect(!refused.errors.lowercased().contains("table"), "\(refused.errors)")
        }
    }
}
