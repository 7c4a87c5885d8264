import Foundation
import TestSupport
import Testing

/// Simulated receiver, serial line, agent, server: the real programs, in half a minute. The long
/// form with all faults and an independent oracle is `scripts/end-to-end`.
@Suite("The whole line")
struct WholeLineTests {
    private let folder: TemporaryDirectory
    private let seed = Int.random(in: 1...1_000_000)

    init() throws {
        folder = try TemporaryDirectory()
        // 400 m through the middle of a circle, whose radius is left and entered at 14 m/s.
        try write(
            "route.geojson",
            """
            {"type":"Feature","properties":{"speed_mps":14},"geometry":{"type":"LineString",
             "coordinates":[[8.5,47.4],[8.5053,47.4]]}}
            """)
        try write(
            "fences.geojson",
            """
            {"type":"FeatureCollection","features":[{"type":"Feature","id":"gate",
             "properties":{"name":"Gate","radius_m":60,"dwell_s":300},
             "geometry":{"type":"Point","coordinates":[8.50265,47.4]}}]}
            """)
    }

    private func write(_ name: String, _ text: String) throws {
        try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
    }

    private func start(_ name: String, _ arguments: [String]) throws -> BuiltProgram {
        try BuiltProgram(name, arguments, in: folder.path)
    }

    /// Runs a program to its end and gives its standard output.
    private func run(_ name: String, _ arguments: [String]) throws -> [UInt8] {
        let program = try start(name, arguments)
        let status = program.end(within: 20)
        try #require(status == 0, "\(name) \(arguments): \(program.errors)")
        return program.output
    }

    private struct Keys: Decodable {
        let adminKey: String
        let deviceKey: String

        enum CodingKeys: String, CodingKey {
            case adminKey = "admin_key"
            case deviceKey = "device_key"
        }
    }

    private struct Row: Decodable, Equatable {
        let id: String
        let sequence: Int
        let type: String

        enum CodingKeys: String, CodingKey {
            case type
            case id = "client_event_id"
            case sequence = "seq"
        }
    }

    private struct Page: Decodable { let events: [Row] }

    /// Makes a workspace with the fence and a file for its device key; gives the admin key.
    private func makeWorkspace() throws -> String {
        let made = try run(
            "geofence-server",
            ["init", "--database", folder.file("server.db"), "--workspace", "line", "--json"])
        let keys = try JSONDecoder().decode(Keys.self, from: Data(made))
        try write("device-key", keys.deviceKey + "\n")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: folder.file("device-key"))
        return keys.adminKey
    }

    private func serve() throws -> (server: BuiltProgram, url: String) {
        let server = try start(
            "geofence-server",
            ["serve", "--database", folder.file("server.db"), "--listen", "127.0.0.1:0"])
        var url: Substring?
        let isUp = eventually(within: 20) {
            url = server.errors.split(whereSeparator: \.isWhitespace)
                .first { $0.hasPrefix("http://127.0.0.1:") }
            return url != nil
        }
        try #require(isUp, "\(server.errors)")
        return (server, String(try #require(url)))
    }

    private func startAgent(_ url: String) throws -> BuiltProgram {
        try write(
            "geofenced.yaml",
            """
            server: { url: "\(url)", key_file: \(folder.file("device-key")) }
            device: { id: line }
            receiver: { source: serial, path: \(folder.file("receiver")), baud: 9600 }
            state_directory: \(folder.file("state"))
            socket: \(folder.file("control.sock"))
            upload: { interval_s: 1 }
            """)
        return try start("geofenced", ["run", "--config", folder.file("geofenced.yaml")])
    }

    /// What the agent has recorded; nothing while it does not answer.
    private func recorded() -> [Row] {
        guard
            let program = try? start(
                "geofenced", ["events", "--json", "--config", folder.file("geofenced.yaml")]),
            program.end(within: 10) == 0
        else { return [] }
        return program.output.split(separator: UInt8(ascii: "\n")).compactMap {
            try? JSONDecoder().decode(Row.self, from: Data($0))
        }
    }

    @Test("one drive, one enter and one exit on the server, though the agent is killed between")
    func line() async throws {
        let key = try makeWorkspace()
        let (server, url) = try serve()
        let fences = try #require(SharedFolder.readFile(folder.file("fences.geojson")))
        let administrator = Administrator(url: url, key: key)
        _ = try await administrator.ask("PUT", "/v1/admin/fences.geojson", body: fences)
        let receiver = try start(
            "geofence-field",
            [
                "simulate", "--route", folder.file("route.geojson"), "--seed", "\(seed)",
                "--noise", "open", "--pty", folder.file("receiver"), "--wait-for-reader",
                "--linger", "60",
            ])
        #expect(eventually(within: 10) { receiver.errors.contains("baud") })
        let first = try startAgent(url)
        #expect(
            eventually(within: 40) { recorded().contains { $0.type == "enter" } },
            "seed \(seed): \(first.errors)\(receiver.errors)")
        first.send(SIGKILL)
        #expect(first.end(within: 5) != nil)
        let second = try startAgent(url)
        #expect(
            eventually(within: 40) { recorded().contains { $0.type == "exit" } },
            "seed \(seed): \(second.errors)\(receiver.errors)")

        let local = recorded()
        #expect(local.map(\.type) == ["enter", "exit"], "seed \(seed)")
        #expect(local.map(\.sequence) == [1, 2])
        var stored: [Row] = []
        for _ in 0..<80 where stored.count < local.count {
            let data = try await administrator.ask("GET", "/v1/admin/events")
            stored = try JSONDecoder().decode(Page.self, from: data).events
            try await Task.sleep(for: .seconds(1))
        }
        #expect(stored == local, "seed \(seed)")

        second.send(SIGTERM)
        #expect(second.end(within: 10) == 0, "\(second.errors)")
        server.send(SIGTERM)
        #expect(server.end(within: 10) == 0, "\(server.errors)")
    }
}
