import ConfigurationFile
import Foundation
import GeofenceAgent
import TestSupport
import Testing

@testable import EmbeddedAgent

@Suite("The files that a configuration names")
struct ConfigurationFilesTests {
    private let folder: TemporaryDirectory
    private let key: String

    init() throws {
        folder = try TemporaryDirectory()
        key = folder.file("api-key")
        try write("gk_live_abc\n", to: key, mode: 0o600)
    }

    private func write(_ text: String, to path: String, mode: Int) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func problems(_ yaml: String) throws -> [ConfigurationFiles.Problem] {
        let configuration = try ConfigurationFile(Array(yaml.utf8), name: "t.yaml")
            .decode(AgentConfiguration.self).value
        return ConfigurationFiles.problems(
            configuration, AgentPaths(configuration, environment: { _ in nil }))
    }

    private func server(_ more: String = "") -> String {
        "server: { url: https://a, key_file: '\(key)'\(more) }"
    }

    @Test(
        "a key file that cannot be used says why",
        arguments: [
            ("gk_live_abc\n", 0o600, nil), ("gk_live_abc", 0o640, nil), ("  k \r\n", 0o400, nil),
            ("", 0o600, "holds no key"), ("\n\n", 0o600, "holds no key"),
            ("a b\n", 0o600, "holds something that is no key"),
            ("k\u{7}\n", 0o600, "holds something that is no key"),
            ("k\n", 0o644, "mode 0644 lets others at the key, allowed 0600 or 0640"),
            ("k\n", 0o604, "mode 0604"), ("k\n", 0o660, "mode 0660"),
        ] as [(String, Int, String?)])
    func keyFile(text: String, mode: Int, problem: String?) throws {
        try write(text, to: key, mode: mode)
        let found = try problems(server())
        #expect(found.count == (problem == nil ? 0 : 1))
        if let problem {
            #expect(found.first?.keyPath == "server.key_file")
            #expect(found.first?.message.hasPrefix("\(key): ") == true)
            #expect(found.first?.message.contains(problem) == true, "\(found)")
        }
    }

    @Test("a missing key file, a folder, and files that are no PEM are named")
    func others() throws {
        try FileManager.default.removeItem(atPath: key)
        #expect(try problems(server()).first?.message == "\(key): No such file or directory")
        try FileManager.default.createDirectory(
            atPath: key, withIntermediateDirectories: false)
        #expect(try problems(server()).first?.message == "\(key): not a regular file")
        try FileManager.default.removeItem(atPath: key)
        try write("k\n", to: key, mode: 0o600)
        let found = try problems(server(", ca_file: /no/ca.pem"))
        #expect(found.map(\.message) == ["/no/ca.pem: No such file or directory"])
        #expect(found.map(\.keyPath) == ["server.ca_file"])
        #expect(
            try problems(server(", ca_file: '\(key)'")).first?.message == "\(key): not a PEM file")
    }

    /// A reload with these words is refused; nil: it is taken.
    private func refusal(_ yaml: String) throws -> String? {
        let text = "device: { id: a }\nstate_directory: '\(folder.path)'\n\(yaml)"
        let configuration = try ConfigurationFile(Array(text.utf8), name: "t.yaml")
            .decode(AgentConfiguration.self).value
        do {
            try EmbeddedAgent(configuration: configuration).check()
            return nil
        } catch {
            #expect(error.kind == .configuration)
            return error.message
        }
    }

    @Test(
        "a reload is refused for each of them, with the key and the reason",
        arguments: [
            (", ca_file: /no/x.pem", "server.ca_file /no/x.pem: No such file or directory"),
            (
                ", client_certificate: /no/x.pem, client_key: /dev/null",
                "server.client_certificate /no/x.pem: No such file or directory; "
                    + "server.client_key /dev/null: not a PEM file"
            ),
            (", ca_file: /", "server.ca_file /: Is a directory"),
            ("", nil),
        ] as [(String, String?)])
    func reload(more: String, words: String?) throws {
        #expect(try refusal(server(more)) == words)
    }

    @Test("a reload is refused for a command that cannot be run")
    func reloadCommand() throws {
        #expect(
            try refusal("notify: { command: [/no/hook] }")
                == "notify.command /no/hook: No such file or directory")
        #expect(try refusal("notify: { command: ['\(key)'] }")?.hasSuffix("denied") == true)
        #expect(try refusal("notify: { command: [/bin/true] }") == nil)
    }

    @Test("a state directory that its path forbids is named; one that is not there yet is not")
    func stateDirectory() throws {
        func problem(_ path: String) throws -> String? {
            let found = try problems("state_directory: '\(path)'")
            #expect(found.allSatisfy { $0.keyPath == "state_directory" })
            return found.first?.message
        }
        #expect(try problem(folder.path) == nil)
        #expect(try problem(folder.file("new")) == nil)
        #expect(try problem(folder.file("new//")) == nil)
        #expect(try problem(key) == "\(key): Not a directory")
        #expect(try problem("\(key)/state") == "\(key)/state: Not a directory")
        #expect(try problem("\(key)/deep/state") == "\(key)/deep/state: Not a directory")
        let deep = folder.file("new/state")
        #expect(try problem(deep) == "\(deep): \(folder.file("new")) does not exist")
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: folder.file("gone"))
        #expect(try problem(link) == "\(link): it is a link to what does not exist")
        #expect(try problem("/proc/state") == nil, "a disk that takes nothing is told, not refused")
    }

    @Test("a broken fence is named with file, pointer and place")
    func fences() throws {
        let file = folder.file("fences.geojson")
        try write(
            #"{"type":"Feature","id":"a","geometry":{"type":"Polygon","coordinates":"#
                + #"[[[13,52],[13.1,52],[13.1,52.1],[13,52.1]]]},"properties":{}}"#,
            to: file, mode: 0o644)
        let found = try problems("fences_file: '\(file)'")
        #expect(
            found.map(\.message)
                == ["\(file): /geometry/coordinates/0/3: unclosed of fence 'a'"])
        #expect(found.map(\.place) == ["lon 13.0, lat 52.1"])
        #expect(
            try problems("fences_file: /no.geojson").map(\.message)
                == ["/no.geojson: No such file or directory"])
    }

    @Test("systemd's credential counts where it exists, the usual file elsewhere")
    func credential() throws {
        let yaml = "server: { url: https://a }"
        let configuration = try ConfigurationFile(Array(yaml.utf8), name: "t.yaml")
            .decode(AgentConfiguration.self).value
        let folder = folder.path
        let given = AgentPaths(configuration) { $0 == "CREDENTIALS_DIRECTORY" ? folder : nil }
        #expect(given.keyFile == key)
        try FileManager.default.removeItem(atPath: key)
        let absent = AgentPaths(configuration) { $0 == "CREDENTIALS_DIRECTORY" ? folder : nil }
        #expect(absent.keyFile == "/etc/geofenced/api-key")
    }
}
