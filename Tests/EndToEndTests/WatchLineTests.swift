import Foundation
import LinuxSystem
import Synchronization
import TestSupport
import Testing

/// `watch` against an agent that ends every stream, so that it has to say where it was.
@Suite("Watching over reconnections")
struct WatchLineTests {
    private struct Question: Decodable, Equatable {
        var since: Int64?
        var positions: [String: Int64]?
    }

    private static func event(_ epoch: String, _ sequence: Int) -> [UInt8] {
        Array(
            """
            {"kind":"event","client_event_id":"\(epoch)-\(sequence)","queue_epoch":"\(epoch)",
            "seq":\(sequence),"boot_id":"b","type":"enter","fence_id":"depot","occurred_at":null,
            "detected_at":null,"mono_ms":1,"wall_at":"2026-01-31T12:00:00Z",
            "wall_synchronised":true,"time_quality":"gnss","initial":false,"inferred":false,
            "notification":{"decision":"none"}}
            """.filter { $0 != "\n" }.utf8)
    }

    private static func hello(_ epoch: String, _ positions: String) -> [UInt8] {
        Array(
            #"{"kind":"hello","schema":"geofenced.watch/1","queue_epoch":"\#(epoch)","positions":{\#(positions)}}"#
                .utf8)
    }

    @Test("each epoch has a position of its own, which a later hello does not move")
    func epochs() throws {
        let folder = try TemporaryDirectory()
        let loop = try PollLoop(name: "fake agent")
        let asked = Mutex<[Question]>([])
        let server = try UnixSocketServer(path: folder.file("control.sock"), on: loop) {
            request, connection in
            let question = try? JSONDecoder().decode(Question.self, from: Data(request))
            let count = asked.withLock { asked in
                asked.append(question ?? Question())
                return asked.count
            }
            if count == 1 {
                connection.send(line: Self.hello("aa", #""aa":120"#))
                connection.send(line: Self.event("aa", 121))
                // The disk failed: another epoch, which begins anew.
                connection.send(line: Self.event("bb", 2))
            } else {
                connection.send(line: Self.hello("bb", #""aa":121,"bb":9"#))
            }
            connection.finish()
        }
        let configuration = folder.file("geofenced.yaml")
        try "socket: \(server.path)\n".write(
            toFile: configuration, atomically: true, encoding: .utf8)
        let program = try BuiltProgram(
            "geofenced", ["watch", "--json", "--since", "100", "--config", configuration],
            in: folder.path)
        #expect(eventually(within: 20) { asked.withLock { $0.count } >= 3 }, "\(program.errors)")
        let questions = asked.withLock { $0 }
        #expect(questions.first == Question(since: 100))
        let positions: [String: Int64] = ["aa": 121, "bb": 2]
        #expect(questions.dropFirst().allSatisfy { $0.positions == positions }, "\(questions)")
        program.send(SIGTERM)
        _ = program.end(within: 10)
        server.stop()
    }
}
