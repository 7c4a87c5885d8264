import Foundation
import TestSupport
import Testing

/// `geofenced fences` and the check-in state, with the real programs.
@Suite("Fences added on the device")
struct DeviceFencesTests {
    private struct List: Decodable {
        struct Entry: Decodable, Equatable {
            var id: String
            var source: String
            var state: String
            var monitoring: String
        }

        var schema: String
        var fences: [Entry]
    }

    private struct CheckIn: Decodable {
        var state: String
        var fenceID: String?

        enum CodingKeys: String, CodingKey {
            case state
            case fenceID = "fence_id"
        }
    }

    private struct Status: Decodable { var checkin: CheckIn }

    private struct Validation: Decodable {
        struct Defect: Decodable {
            var pointer: String
            var lat: Double?
        }

        var valid: Bool
        var errors: [Defect]
    }

    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        try """
        position: { lat: 47.4, lon: 8.5, accuracy_m: 5 }
        device: { id: yard, profile: kiosk }
        state_directory: \(folder.file("state"))
        socket: \(folder.file("control.sock"))
        """.write(toFile: folder.file("geofenced.yaml"), atomically: true, encoding: .utf8)
    }

    private func run(_ words: String...) throws -> (status: Int32?, output: [UInt8], errors: String)
    {
        try run(words)
    }

    private func run(_ words: [String]) throws -> (status: Int32?, output: [UInt8], errors: String)
    {
        let program = try BuiltProgram(
            "geofenced", words + ["--config", folder.file("geofenced.yaml")], in: folder.path)
        return (program.end(within: 20), program.output, program.errors)
    }

    private func list() throws -> List? {
        let answer = try run("fences", "list", "--json")
        return try? JSONDecoder().decode(List.self, from: Data(answer.output))
    }

    private func start() throws -> BuiltProgram {
        let agent = try BuiltProgram(
            "geofenced", ["run", "--config", folder.file("geofenced.yaml")], in: folder.path)
        try #require(eventually(within: 20) { agent.errors.contains("ready") }, "\(agent.errors)")
        return agent
    }

    @Test("are added, monitored, kept over a kill, listed, refused and removed")
    func wholeLife() throws {
        let agent = try start()
        #expect(
            try run("fences", "add", "--id", "yard", "--circle", "47.4,8.5,100", "--dwell", "300")
                .status == 0)
        // As soon as the answer is there.
        agent.send(SIGKILL)
        #expect(agent.end(within: 5) != nil)
        let again = try start()
        let isInside = eventually(within: 20) {
            (try? list()?.fences.first?.state) == "inside"
        }
        #expect(isInside, "\(again.errors)")
        let entry = List.Entry(
            id: "yard", source: "device", state: "inside", monitoring: "registered")
        #expect(try list()?.fences == [entry])
        let status = try run("status", "--json")
        let checkIn = try JSONDecoder().decode(Status.self, from: Data(status.output)).checkin
        #expect(checkIn.state == "ARRIVED" && checkIn.fenceID == "yard")

        try #"""
        {"type":"FeatureCollection","features":[
         {"type":"Feature","id":"ok","properties":{"radius_m":150},
          "geometry":{"type":"Point","coordinates":[8.6,47.5]}},
         {"type":"Feature","id":"bow","properties":{},
          "geometry":{"type":"Polygon","coordinates":[[[1,1],[1.1,1.1],[1.1,1],[1,1.1],[1,1]]]}}]}
        """#.write(toFile: folder.file("bad.geojson"), atomically: true, encoding: .utf8)
        let refused = try run("fences", "add", folder.file("bad.geojson"))
        #expect(refused.status == 1)
        #expect(
            refused.errors.contains(
                "\(folder.file("bad.geojson")): /features/1/geometry/coordinates/0"),
            "\(refused.errors)")
        for (words, option) in [
            (["--id", "x", "--circle", "47.4,8.5,5"], "--circle: radius_out_of_range"),
            (["--id", "", "--circle", "47.4,8.5,50"], "--id: not 1 to 128 characters"),
        ] {
            let answer = try run(["fences", "add"] + words)
            #expect(answer.status == 1 && answer.errors.contains(option), "\(answer.errors)")
            #expect(!answer.errors.contains("/"), "\(answer.errors)")
        }
        #expect(try list()?.fences.count == 1)
        let program = try BuiltProgram(
            "geofenced", ["fences", "validate", folder.file("bad.geojson"), "--json"],
            in: folder.path)
        #expect(program.end(within: 20) == 1)
        let report = try JSONDecoder().decode(Validation.self, from: Data(program.output))
        #expect(!report.valid && report.errors.first?.lat != nil)
        #expect(report.errors.first?.pointer.hasPrefix("/features/1/geometry") == true)

        #expect(try run("fences", "remove", "nobody").status == 1)
        #expect(try run("fences", "remove", "yard").status == 0)
        let events = String(decoding: try run("events").output, as: UTF8.self)
        #expect(events.contains("enter yard") && events.contains("fence_deleted"), "\(events)")
        again.send(SIGTERM)
        #expect(again.end(within: 10) == 0)
    }

    @Test(
        "another user who may ask may not change anything",
        .enabled(
            if: getuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0
                && access("/usr/bin/python3", X_OK) == 0,
            "needs root, setpriv and python3"))
    func anotherUser() throws {
        let agent = try start()
        // As for a member of the group `geofenced`, which is not there on every machine.
        chmod(folder.path, 0o711)
        chmod(folder.file("control.sock"), 0o666)
        let script = """
            import socket, sys
            for request in sys.argv[2:]:
                s = socket.socket(socket.AF_UNIX); s.settimeout(10); s.connect(sys.argv[1])
                s.sendall(request.encode() + b"\\n"); print(s.makefile().readline().strip())
            """
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
        process.arguments = [
            "--reuid", "65534", "--regid", "65534", "--clear-groups", "/usr/bin/python3", "-c",
            script, folder.file("control.sock"),
            #"{"command":"add_fences","fences":[{"id":"x","type":"circle","center":{"lat":1,"lon":1},"radius_m":50}]}"#,
            #"{"command":"remove_fences","ids":["x"]}"#, #"{"command":"mark"}"#,
            #"{"command":"fences"}"#,
        ]
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let answers = String(decoding: data, as: UTF8.self).split(separator: "\n")
        #expect(answers.count == 4)
        #expect(answers.prefix(3).allSatisfy { $0.contains("forbidden") }, "\(answers)")
        #expect(answers.last?.contains("geofenced.fences/1") == true)
        #expect(try list()?.fences == [])
        agent.send(SIGTERM)
        #expect(agent.end(within: 10) == 0)
    }

    @Test("watch goes on over a restart, before and after the first event, without a gap")
    func watch() throws {
        let agent = try start()
        let watcher = try BuiltProgram(
            "geofenced", ["watch", "--json", "--config", folder.file("geofenced.yaml")],
            in: folder.path)
        func count(_ text: String) -> Int {
            String(decoding: watcher.output, as: UTF8.self).split(separator: "\n")
                .count { $0.contains(text) }
        }
        #expect(eventually(within: 20) { count(#""kind":"checkin""#) > 0 })
        agent.send(SIGTERM)
        #expect(agent.end(within: 10) == 0)
        // What happens before the watcher is back is told afterwards.
        let second = try start()
        for name in ["a", "b"] {
            #expect(
                try run("fences", "add", "--id", name, "--circle", "47.4,8.5,100").status == 0)
        }
        #expect(eventually(within: 30) { count(#""type":"enter""#) == 2 }, "\(watcher.errors)")
        second.send(SIGKILL)
        #expect(second.end(within: 5) != nil)
        let third = try start()
        #expect(try run("fences", "remove", "a").status == 0)
        #expect(eventually(within: 30) { count(#""type":"exit""#) == 1 }, "\(watcher.errors)")
        #expect(count(#""type":"enter""#) == 2)
        watcher.send(SIGTERM)
        third.send(SIGTERM)
        #expect(third.end(within: 10) == 0)
    }
}
