import Foundation
import TestSupport
import Testing

/// Real program, real server; about 5 seconds.
@Suite("The device gets its key")
struct ProvisionCommandTests {
    private struct Answer: Decodable {
        let schema: String
        let result: String
        let deviceID: String?
        let keyFile: String?
        let error: Failure?

        enum CodingKeys: String, CodingKey {
            case schema, result, error
            case deviceID = "device_id"
            case keyFile = "key_file"
        }

        struct Failure: Decodable {
            let code: String
            let message: String
        }
    }

    private struct Code: Decodable {
        let code: String
    }

    private let folder: TemporaryDirectory
    private let bench: ServerBench
    private var keyFile: String { folder.file("api-key") }
    private var configuration: String { folder.file("geofenced.yaml") }

    init() throws {
        folder = try TemporaryDirectory()
        bench = try ServerBench(in: folder)
    }

    private func configure(url: String, key: String? = nil) throws {
        try """
        device: { id: van-7 }
        server: { url: "\(url)", key_file: \(key ?? keyFile) }
        state_directory: \(folder.file("state"))
        """.write(toFile: configuration, atomically: true, encoding: .utf8)
    }

    private func code(_ device: String = "van-7") async throws -> String {
        let data = try await bench.ask(
            "POST", "/v1/admin/provision-codes", body: "{\"device_id\": \"\(device)\"}")
        return try JSONDecoder().decode(Code.self, from: data).code
    }

    private func provision(_ arguments: String...) throws -> (status: Int32?, answer: Answer?) {
        let program = try BuiltProgram(
            "geofenced", ["provision", "--json", "--config", configuration] + arguments,
            in: folder.path)
        let status = program.end(within: 120)
        return (status, try? JSONDecoder().decode(Answer.self, from: Data(program.output)))
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    /// What the server says to the key in the file.
    private func status(device: String) async throws -> Int {
        let key = try String(contentsOfFile: keyFile, encoding: .utf8)
        let asked = try BuiltProgramAnswer.curl(
            "\(bench.url)/v1/config", key: key.trimmingCharacters(in: .whitespacesAndNewlines),
            device: device, in: folder.path)
        return asked
    }

    @Test("a code gives a key file that opens for this device alone, once")
    func provisioned() async throws {
        try configure(url: bench.url)
        let code = try await code()
        let (first, answer) = try provision("--code", code.lowercased())
        #expect(
            first == 0 && answer?.result == "provisioned"
                && answer?.schema == "geofenced.provision/1")
        #expect(answer?.deviceID == "van-7" && answer?.keyFile == keyFile)
        #expect(try mode(keyFile) == 0o600)
        let key = try String(contentsOfFile: keyFile, encoding: .utf8)
        #expect(key.hasPrefix("gk_live_") && key.hasSuffix("\n"))
        #expect(try await status(device: "van-7") == 200)
        #expect(try await status(device: "van-8") == 403)

        // The key that is there is not thrown away by mistake, and no code for it.
        let second = try await self.code()
        let present = try provision("--code", second)
        #expect(present.status == 1 && present.answer?.error?.code == "key_present")
        // Who reads the key goes on reading it.
        chmod(keyFile, 0o640)
        if getuid() == 0 { chown(keyFile, 65_534, 12) }
        var before = stat()
        #expect(stat(keyFile, &before) == 0)
        let used = try provision("--code", code, "--replace")
        #expect(used.status == 1 && used.answer?.error?.code == "code_used")
        #expect(try String(contentsOfFile: keyFile, encoding: .utf8) == key)
        #expect(try provision("--code", second, "--replace").status == 0)
        #expect(try String(contentsOfFile: keyFile, encoding: .utf8) != key)
        var after = stat()
        #expect(stat(keyFile, &after) == 0)
        #expect(after.st_uid == before.st_uid && after.st_gid == before.st_gid)
        #expect(after.st_ino != before.st_ino && after.st_mode & 0o7777 == 0o640)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!left.contains { $0.hasSuffix(".new") || $0.hasSuffix(".probe") }, "\(left)")
    }

    @Test("what is wrong has a code, and costs no code of the server")
    func failures() async throws {
        let good = try await code()
        try configure(url: bench.url, key: folder.file("missing/api-key"))
        let unwritable = try provision("--code", good)
        #expect(unwritable.status == 1)
        #expect(unwritable.answer?.error?.code == "key_file_not_writable")
        try configure(url: "http://127.0.0.1:9")
        let offline = try provision("--code", good)
        #expect(offline.status == 1 && offline.answer?.error?.code == "connectFailed")
        try configure(url: bench.url)
        for (code, expected) in [
            ("AAAA-AAAA-AAAA-AAAA-AAAA", "code_unknown"), ("", "code_unknown"),
            (try await code("van-8"), "device_mismatch"),
        ] {
            let (status, answer) = try provision("--code=\(code)")
            #expect(status == 1 && answer?.error?.code == expected, "\(code)")
            #expect(!FileManager.default.fileExists(atPath: keyFile))
        }
        try "device: { id: van-7 }\n".write(
            toFile: configuration, atomically: true, encoding: .utf8)
        #expect(try provision("--code", good).status == 78)
        try configure(url: bench.url)
        #expect(try provision("--code", good).status == 0)
    }
}

/// One question by curl(1), which follows no proxy of the environment here.
private enum BuiltProgramAnswer {
    static func curl(
        _ url: String, key: String, device: String, in folder: String
    ) throws -> Int {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "curl", "--noproxy", "*", "-s", "-o", "\(folder)/answer", "-w", "%{http_code}",
            "-H", "Authorization: Bearer \(key)", "-H", "X-Device-Id: \(device)", url,
        ]
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Int(String(decoding: data, as: UTF8.self)) ?? 0
    }
}
