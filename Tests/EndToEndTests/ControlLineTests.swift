import Foundation
import LinuxSystem
import TestSupport
import Testing

/// The command line against an agent that does not keep its side of the protocol.
@Suite("Answers that are cut off")
struct ControlLineTests {
    private static let event = """
        {"client_event_id":"e-1","queue_epoch":"00","seq":1,"boot_id":"b","type":"enter",
        "fence_id":"depot","occurred_at":null,"detected_at":null,"mono_ms":1,
        "wall_at":"2026-01-31T12:00:00Z","wall_synchronised":true,"time_quality":"gnss",
        "initial":false,"inferred":false,"notification":{"decision":"none"}}
        """.filter { $0 != "\n" }

    @Test(
        "an answer without its last line is a failure, whatever came before it",
        arguments: [
            (0, nil, 1), (2, nil, 1), (2, 3, 1), (2, 2, 0), (0, 0, 0),
        ] as [(Int, Int?, Int32)])
    func cutOff(lines: Int, end: Int?, status: Int32) throws {
        let folder = try TemporaryDirectory()
        let loop = try PollLoop(name: "fake agent")
        let server = try UnixSocketServer(path: folder.file("control.sock"), on: loop) {
            _, connection in
            for _ in 0..<lines { connection.send(line: Array(Self.event.utf8)) }
            if let end { connection.send(line: Array(#"{"end":{"count":\#(end)}}"#.utf8)) }
            connection.finish()
        }
        let configuration = folder.file("geofenced.yaml")
        try "socket: \(server.path)\n".write(
            toFile: configuration, atomically: true, encoding: .utf8)
        let program = try BuiltProgram(
            "geofenced", ["events", "--json", "--config", configuration], in: folder.path)
        #expect(program.end(within: 20) == status, "\(program.errors)")
        // What did come is shown.
        #expect(program.output.count { $0 == UInt8(ascii: "\n") } == lines)
        #expect(program.errors.contains("not complete") == (status != 0))
        server.stop()
    }
}
