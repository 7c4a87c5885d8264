import Foundation
import TestSupport
import Testing

/// A running `geofence-server` with one workspace, and a file for its device key.
struct ServerBench {
    let program: BuiltProgram
    let url: String
    let keyFile: String
    private let adminKey: String

    private struct Keys: Decodable {
        let adminKey: String
        let deviceKey: String

        enum CodingKeys: String, CodingKey {
            case adminKey = "admin_key"
            case deviceKey = "device_key"
        }
    }

    init(in folder: TemporaryDirectory) throws {
        let database = folder.file("server.db")
        let made = try BuiltProgram(
            "geofence-server", ["init", "--database", database, "--workspace", "line", "--json"],
            in: folder.path)
        try #require(made.end(within: 20) == 0, "\(made.errors)")
        let keys = try JSONDecoder().decode(Keys.self, from: Data(made.output))
        adminKey = keys.adminKey
        keyFile = folder.file("device-key")
        try (keys.deviceKey + "\n").write(toFile: keyFile, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keyFile)
        let program = try BuiltProgram(
            "geofence-server", ["serve", "--database", database, "--listen", "127.0.0.1:0"],
            in: folder.path)
        var found: Substring?
        let isUp = eventually(within: 20) {
            found = program.errors.split(whereSeparator: \.isWhitespace)
                .first { $0.hasPrefix("http://127.0.0.1:") }
            return found != nil
        }
        try #require(isUp, "\(program.errors)")
        self.program = program
        url = String(try #require(found))
    }

    /// One request with the key of the administrator; the answer must be a success.
    func ask(_ method: String, _ path: String, body: String? = nil) async throws -> Data {
        try await Administrator(url: url, key: adminKey)
            .ask(method, path, body: body.map { Array($0.utf8) })
    }
}
