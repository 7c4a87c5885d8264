import Foundation
import LinuxSystem
import TestSupport
import Testing

/// `geofenced mark` and the words of the control socket, with the real programs.
@Suite("Refusals of a running agent")
struct MarkTests {
    private let kiosk: KioskAgent

    init() throws {
        kiosk = try KioskAgent()
        try kiosk.configure(
            "fences_file: \(kiosk.folder.file("fences.geojson"))\nrecording: { enabled: true }")
    }

    private func ask(_ words: [String]) throws -> (status: Int32?, errors: String) {
        let program = try BuiltProgram(
            "geofenced", words + ["--config", kiosk.configuration], in: kiosk.folder.path)
        return (program.end(within: 20), program.errors)
    }

    private func started() throws -> BuiltProgram {
        let agent = try kiosk.start()
        try #require(eventually(within: 20) { agent.errors.contains("ready") }, "\(agent.errors)")
        return agent
    }

    @Test("a mark that proves nothing is refused with one line and what to do; a good one is kept")
    func marks() throws {
        let agent = try started()
        let rows: [([String], Int32, String)] = [
            (
                ["mark", "x", "--fence", "desc", "--kind", "enter"], 1,
                "no fence 'desc' is known here"
            ),
            (["mark", "x", "--fence", "desc", "--kind", "enter"], 1, "did you mean desk?"),
            (["mark", "x", "--fence", "depot", "--kind", "enter"], 1, "geofenced fences list"),
            (["mark", "x", "--fence", "", "--kind", "enter"], 1, "no fence ''"),
            (["mark", "x", "--fence", "desk"], 2, "--fence needs --kind, one of enter, exit"),
            (["mark", "x", "--kind", "enter"], 2, "--kind needs --fence"),
            (["mark", "x", "--fence", "desk", "--kind", "fly"], 2, "--kind"),
            (["mark", ""], 2, "LABEL: it is empty"),
            (["mark", " \t"], 2, "LABEL: it is empty"),
            (["mark", String(repeating: "x", count: 1025)], 2, "LABEL: longer than 1024 bytes"),
            (["fences", "explain", "desc"], 1, "did you mean desk?"),
        ]
        for (words, status, expected) in rows {
            let answer = try ask(words)
            #expect(answer.status == status, "\(words): \(answer.errors)")
            #expect(answer.errors.contains(expected), "\(words): \(answer.errors)")
            let lines = answer.errors.split(separator: "\n").filter { !$0.hasPrefix("Try '") }
            #expect(lines.count == 1, "\(words): \(answer.errors)")
        }
        #expect(
            try ask(["mark", "over the line", "--fence", "desk", "--kind", "enter"]).status == 0)
        #expect(try ask(["mark", "a dog"]).status == 0)
        agent.send(SIGTERM)
        #expect(agent.end(within: 10) == 0)
        let folder = kiosk.folder.file("state/recordings")
        let marks = try FileManager.default.contentsOfDirectory(atPath: folder)
            .map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }.joined()
            .split(separator: "\n").filter { $0.contains(#""k":"mark""#) }
        #expect(marks.count == 2, "\(marks)")
        #expect(marks.first?.contains("over the line") == true)
    }

    @Test("the help names the group that may mark")
    func help() throws {
        let program = try BuiltProgram("geofenced", ["mark", "--help"], in: kiosk.folder.path)
        #expect(program.end(within: 20) == 0)
        #expect(String(decoding: program.output, as: UTF8.self).contains("geofenced-admin"))
    }

    @Test("the 33rd client is told that there are too many, by the command line and the doctor")
    func tooMany() throws {
        let agent = try started()
        var clients: [UnixSocketClient] = []
        for _ in 0..<32 {
            let client = try UnixSocketClient(path: kiosk.folder.file("control.sock"))
            try client.send(line: Array(#"{"command":"watch"}"#.utf8))
            #expect(try client.nextLine(milliseconds: 10_000) != nil)
            clients.append(client)
        }
        let answer = try ask(["status"])
        #expect(answer.status == 1)
        #expect(answer.errors.contains("too many clients (limit 32)"), "\(answer.errors)")
        let doctor = try BuiltProgram(
            "geofenced", ["doctor", "--config", kiosk.configuration], in: kiosk.folder.path)
        #expect(doctor.end(within: 40) == 1)
        let text = String(decoding: doctor.output, as: UTF8.self)
        #expect(text.contains("too many clients (limit 32)"), "\(text)")
        clients = []
        #expect(eventually(within: 10) { (try? ask(["status"]).status) == 0 })
        agent.send(SIGTERM)
        #expect(agent.end(within: 10) == 0)
    }

    @Test("a missing folder of the socket is told with the key that names it")
    func noFolder() throws {
        let socket = kiosk.folder.file("run/control.sock")
        try kiosk.write(
            "other.yaml",
            """
            position: { lat: 47.4, lon: 8.5 }
            state_directory: \(kiosk.folder.file("other"))
            socket: \(socket)
            """)
        let agent = try BuiltProgram(
            "geofenced", ["run", "--config", kiosk.folder.file("other.yaml")],
            in: kiosk.folder.path)
        #expect(agent.end(within: 20) == 1)
        #expect(
            agent.errors.contains(
                "socket \(socket): \(kiosk.folder.file("run")) does not exist: make it, "
                    + "or set the key socket"), "\(agent.errors)")
    }
}
