import Foundation
import TestSupport
import Testing

/// Real agent, real server; about 20 seconds.
@Suite("A device that has nothing to say")
struct QuietDeviceTests {
    private struct Devices: Decodable {
        let devices: [Device]

        struct Device: Decodable {
            let heartbeat: Heartbeat?
        }

        struct Heartbeat: Decodable {
            let version: String
            let lastFix: LastFix?
            let integrityFlags: [String]
            let status: [String: JSONScalar]

            enum CodingKeys: String, CodingKey {
                case status
                case version = "agent_version"
                case lastFix = "last_fix"
                case integrityFlags = "integrity_flags"
            }
        }

        struct LastFix: Decodable {
            let age: Double
            let position: Position

            enum CodingKeys: String, CodingKey {
                case position
                case age = "age_s"
            }
        }

        struct Position: Decodable {
            let lat: Double
            let lon: Double
        }

        /// Text or number; only that there is one counts.
        struct JSONScalar: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if (try? container.decode(String.self)) == nil {
                    _ = try container.decode(Int.self)
                }
            }
        }
    }

    @Test("a fence that is added while the device is quiet is monitored within a heartbeat")
    func fence() async throws {
        let agent = try KioskAgent()
        let server = try ServerBench(in: agent.folder)
        try agent.configure(
            "server: { url: \"\(server.url)\", key_file: \(server.keyFile) }\nheartbeat_s: 5")
        let program = try agent.start()
        var heartbeat: Devices.Heartbeat?
        for _ in 0..<60 where heartbeat?.lastFix == nil {
            try await Task.sleep(for: .milliseconds(500))
            let data = try await server.ask("GET", "/v1/admin/devices")
            heartbeat = try JSONDecoder().decode(Devices.self, from: data).devices.first?.heartbeat
        }
        let heard = try #require(heartbeat, "no heartbeat: \(program.errors)")
        let fix = try #require(heard.lastFix)
        #expect(fix.position.lat == 47.4)
        #expect(fix.position.lon == 8.5)
        #expect((0...60).contains(fix.age))
        #expect(!heard.version.isEmpty)
        #expect(heard.status["receiver"] != nil)
        #expect(agent.recorded().isEmpty, "nothing has happened so far")

        _ = try await server.ask(
            "PUT", "/v1/admin/fences.geojson",
            body: """
                {"type":"FeatureCollection","features":[{"type":"Feature","id":"new",
                 "properties":{"name":"New","radius_m":100,"dwell_s":300},
                 "geometry":{"type":"Point","coordinates":[8.5,47.4]}}]}
                """)
        let added = ContinuousClock.now
        #expect(
            eventually(within: 30) { agent.recorded().contains { $0.type == "enter" } },
            "\(program.errors)")
        print("the new fence was entered after \(ContinuousClock.now - added)")
        program.send(SIGTERM)
        #expect(program.end(within: 10) == 0, "\(program.errors)")
        server.program.send(SIGTERM)
        #expect(server.program.end(within: 10) == 0)
    }
}
