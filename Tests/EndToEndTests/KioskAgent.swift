import Foundation
import TestSupport

/// A folder with the configuration of an agent that needs neither receiver nor server: a kiosk
/// inside its only fence.
struct KioskAgent {
    let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        try write(
            "fences.geojson",
            """
            {"type":"FeatureCollection","features":[{"type":"Feature","id":"desk",
             "properties":{"name":"Desk","radius_m":60,"dwell_s":2},
             "geometry":{"type":"Point","coordinates":[8.5,47.4]}}]}
            """)
        try configure("fences_file: \(folder.file("fences.geojson"))")
    }

    func write(_ name: String, _ text: String, mode: Int = 0o600) throws {
        try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: folder.file(name))
    }

    var configuration: String { folder.file("geofenced.yaml") }

    /// Writes the configuration: what all have, and `lines`.
    func configure(_ lines: String, position: Bool = true) throws {
        try write(
            "geofenced.yaml",
            """
            device: { id: kiosk, profile: kiosk }
            \(position ? "position: { lat: 47.4, lon: 8.5 }" : "")
            state_directory: \(folder.file("state"))
            socket: \(folder.file("control.sock"))
            \(lines)
            """)
    }

    func start(environment: [String: String] = [:]) throws -> BuiltProgram {
        try BuiltProgram(
            "geofenced", ["run", "--config", configuration], in: folder.path,
            environment: environment)
    }

    /// One event as the command line shows it.
    struct Row: Decodable, Equatable {
        let id: String
        let sequence: Int
        let type: String

        enum CodingKeys: String, CodingKey {
            case type
            case id = "client_event_id"
            case sequence = "seq"
        }
    }

    /// What the agent has recorded; nothing while it does not answer.
    func recorded() -> [Row] {
        answer("events").split(separator: UInt8(ascii: "\n")).compactMap {
            try? JSONDecoder().decode(Row.self, from: Data($0))
        }
    }

    /// The answer to a subcommand with `--json`; empty while there is none.
    func answer(_ command: String) -> [UInt8] {
        guard
            let program = try? BuiltProgram(
                "geofenced", [command, "--json", "--config", configuration], in: folder.path),
            program.end(within: 10) == 0
        else { return [] }
        return program.output
    }
}
