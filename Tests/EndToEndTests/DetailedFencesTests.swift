import Foundation
import TestSupport
import Testing

/// Fences of thousands of vertices, through the real server to the real agent.
@Suite("Very detailed fences")
struct DetailedFencesTests {
    private struct Status: Decodable {
        struct Fences: Decodable {
            var known: Int
            var source: String
            var coverage: String
            var note: String?
        }

        var fences: Fences
    }

    @Test("eighteen polygons of 9,000 vertices do not blind the device, which says what it has")
    func eighteen() async throws {
        let line = try ServedLine()
        for index in 0..<18 {
            // Rings about centres 3 km apart, to the east of the device.
            let polygon = Self.ring(around: 47.4, 8.5 + 0.04 * Double(index), vertices: 9000)
            let feature = """
                {"type":"FeatureCollection","features":[{"type":"Feature","id":"f\(index)",
                 "properties":{"name":"F"},"geometry":{"type":"Polygon","coordinates":[\(polygon)]}}]}
                """
            _ = try await Administrator(url: line.url, key: line.adminKey).ask(
                "POST", "/v1/admin/fences.geojson", body: Array(feature.utf8))
        }
        let agent = try line.startAgent("position: { lat: 47.4, lon: 8.5, accuracy_m: 5 }")
        var status: Status?
        let isSeen = eventually(within: 40) {
            status = line.control("status").flatMap {
                try? JSONDecoder().decode(Status.self, from: Data($0))
            }
            return status?.fences.source == "server"
        }
        #expect(isSeen, "\(agent.errors)")
        let fences = try #require(status).fences
        #expect(fences.known >= 1 && fences.known < 18)
        #expect(fences.coverage == "covered")
        #expect(fences.note?.contains("\(fences.known) of the nearest 18") == true)
        #expect(agent.errors.contains("fit into an answer"))
        // It stands inside the nearest one, and finds out.
        let isInside = eventually(within: 20) {
            String(decoding: line.control("events") ?? [], as: UTF8.self).contains("\"enter\"")
        }
        #expect(isInside, "\(agent.errors)")
        agent.send(SIGTERM)
        #expect(agent.end(within: 10) == 0)
    }

    /// A wavy ring of 1 km as coordinates with 15 digits.
    private static func ring(around lat: Double, _ lon: Double, vertices: Int) -> String {
        var positions: [String] = []
        for index in 0...vertices {
            let angle = 2 * Double.pi * Double(index % vertices) / Double(vertices)
            let radius = 0.009 * (1 + 0.01 * sin(60 * angle))
            positions.append("[\(lon + radius * cos(angle) / 0.677),\(lat + radius * sin(angle))]")
        }
        return "[" + positions.joined(separator: ",") + "]"
    }
}

/// A server with a workspace, and an agent that knows it.
struct ServedLine {
    let folder: TemporaryDirectory
    let url: String
    let adminKey: String
    private let server: BuiltProgram

    init() throws {
        folder = try TemporaryDirectory()
        let database = folder.file("server.db")
        let made = try BuiltProgram(
            "geofence-server",
            ["init", "--database", database, "--workspace", "line", "--json"], in: folder.path)
        try #require(made.end(within: 20) == 0, "\(made.errors)")
        let keys = try JSONDecoder().decode([String: String].self, from: Self.strings(made.output))
        adminKey = try #require(keys["admin_key"])
        let keyFile = folder.file("device-key")
        try (keys["device_key"] ?? "").write(toFile: keyFile, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keyFile)
        server = try BuiltProgram(
            "geofence-server", ["serve", "--database", database, "--listen", "127.0.0.1:0"],
            in: folder.path)
        let running = server
        var found: Substring?
        let isUp = eventually(within: 20) {
            found = running.errors.split(whereSeparator: \.isWhitespace)
                .first { $0.hasPrefix("http://127.0.0.1:") }
            return found != nil
        }
        try #require(isUp, "\(server.errors)")
        url = String(try #require(found))
    }

    /// The text members of a flat object.
    private static func strings(_ json: [UInt8]) throws -> Data {
        let object = try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any]
        let texts = (object ?? [:]).compactMapValues { $0 as? String }
        return try JSONSerialization.data(withJSONObject: texts)
    }

    /// Starts the agent with further lines of configuration.
    func startAgent(_ lines: String) throws -> BuiltProgram {
        try """
        server: { url: "\(url)", key_file: \(folder.file("device-key")) }
        device: { id: line }
        state_directory: \(folder.file("state"))
        socket: \(folder.file("control.sock"))
        upload: { interval_s: 1 }
        \(lines)
        """.write(toFile: folder.file("geofenced.yaml"), atomically: true, encoding: .utf8)
        return try BuiltProgram(
            "geofenced", ["run", "--config", folder.file("geofenced.yaml")], in: folder.path)
    }

    /// What a command of the command line prints as JSON; nil where it fails.
    func control(_ words: String...) -> [UInt8]? {
        guard
            let program = try? BuiltProgram(
                "geofenced", words + ["--json", "--config", folder.file("geofenced.yaml")],
                in: folder.path),
            program.end(within: 10) == 0
        else { return nil }
        return program.output
    }
}
