import ConfigurationFile
import Testing

@testable import GeofenceAgent
@testable import WireFormat

@Suite("The configuration of the agent")
struct ConfigurationTests {
    static let server = "server: { url: https://fences.example.org }\n"

    static func decode(_ text: String) throws -> AgentConfiguration {
        try ConfigurationFile(Array(text.utf8), name: "test.yaml")
            .decode(AgentConfiguration.self).value
    }

    @Test("an empty file gives the documented defaults")
    func defaults() throws {
        let configuration = try Self.decode("")
        #expect(configuration.server == nil)
        #expect(configuration.receiver.source == .auto)
        #expect(configuration.upload.intervalSeconds == 60)
        #expect(configuration.upload.maxBatch == 200)
        #expect(configuration.queue.maxBytes == 67_108_864)
        #expect(!configuration.breadcrumbs.isEnabled)
        #expect(configuration.breadcrumbs.groupSeconds == 30)
        #expect(configuration.device.profile == .vehicle)
    }

    @Test("gpsd needs no more than its name: it is on this machine, at its usual port")
    func gpsd() throws {
        let receiver = try Self.decode("receiver: { source: gpsd }").receiver
        #expect(receiver.source == .gpsd)
        #expect(receiver.host == "localhost" && receiver.port == 2947)
    }

    @Test("a command for notifications is a path and its arguments")
    func notify() throws {
        let notify = try Self.decode("notify: { command: [/bin/tell, -x, ''], burst_s: 30 }").notify
        #expect(notify.command == ["/bin/tell", "-x", ""] && notify.burstSeconds == 30)
        #expect(try Self.decode("").notify.command == nil)
    }

    @Test(
        "what is no command is refused",
        arguments: [
            "notify: { command: tell }", "notify: { command: [] }", "notify: { command: [tell] }",
            "notify: { command: ['/bin/tell', \"a\\0b\"] }", "notify: { burst_s: -1 }",
            "notify: { burst_s: 86401 }", "notify: { comand: [/bin/tell] }",
        ])
    func noCommand(text: String) {
        #expect(throws: ConfigurationError.self) { try Self.decode(text) }
    }

    @Test(
        "a server is https, or http on loopback",
        arguments: [
            ("https://fences.example.org", true), ("https://fences.example.org:8443/base", true),
            ("http://127.0.0.1:8948", true), ("http://127.8.0.1", true),
            ("http://localhost:1", true), ("http://[::1]:8948", true),
            ("http://fences.example.org", false), ("http://127.0.0.1.example.org", false),
            ("http://localhost.example.org", false), ("http://127.0.0.1@evil.example", false),
            ("https://key@host", false), ("https://", false), ("ftp://127.0.0.1", false),
            ("fences.example.org", false), ("http://128.0.0.1", false), ("", false),
        ])
    func serverAddress(url: String, isAllowed: Bool) {
        let text = "server: { url: '\(url)' }\n"
        let isAccepted = (try? Self.decode(text)) != nil
        #expect(isAccepted == isAllowed)
    }

    @Test(
        "what is wrong is refused with line, column, key and the allowed range",
        arguments: [
            (
                "upload: { max_batch: 501 }",
                "1:22: upload.max_batch: 501 is out of range, allowed 1...500"
            ),
            (
                "upload:\n  interval_s: -1",
                "2:15: upload.interval_s: -1 is out of range, allowed 0...3600"
            ),
            (
                "queue: { max_bytes: 1 }",
                "queue.max_bytes: 1 is out of range, allowed 1048576...17179869184"
            ),
            (
                "breadcrumbs: { group_s: 19 }",
                "breadcrumbs.group_s: 19 is out of range, allowed 20...30"
            ),
            ("breadcrumbs: { group_s: 31 }", "breadcrumbs.group_s: 31 is out of range"),
            (
                "breadcrumbs: { max_bytes: 1048575 }",
                "breadcrumbs.max_bytes: 1048575 is out of range, allowed 1048576...17179869184"
            ),
            ("breadcrumbs: { on: true }", "breadcrumbs.on: "),
            (
                "receiver: { source: file, path: /a.log, speed: 1001 }",
                "receiver.speed: 1001 is out of range, allowed 1...1000"
            ),
            (
                "receiver: { path: /dev/x, speed: 10 }",
                "receiver.speed: 10 is for receiver.source file only"
            ),
            (
                "receiver: { baud: 9601 }",
                "receiver.baud: 9601 is not a line speed, allowed 4800, 9600"
            ),
            ("receiver: { source: serial }", "receiver.source: 'serial' needs receiver.path"),
            (
                "receiver: { source: gpsd, port: 65536 }",
                "1:33: receiver.port: 65536 is out of range, allowed 1...65535"
            ),
            (
                "receiver: { source: gpsd, host: shared memory }",
                "receiver.host: 'shared memory' is not a host name or an address"
            ),
            (
                "receiver: { source: gpsd, path: /dev/ttyACM0 }",
                "receiver.path: with source gpsd, gpsd has the device: leave path out"
            ),
            ("device: { id: 'a b' }", "device.id: 'a b' is not allowed"),
            ("device: { profile: boat }", "device.profile: "),
            ("device: { user_id: 'a b' }", "1:20: device.user_id: 'a b' is not allowed"),
            ("device: { user_id: '' }", "device.user_id: '' is not allowed, allowed 1...128"),
            ("device: { user_id: 'mül' }", "device.user_id: 'mül' is not allowed"),
            ("device: { id: '' }", "device.id: '' is not allowed, allowed 1...64"),
            ("device: { id: 'a/b' }", "device.id: 'a/b' is not allowed"),
            ("state_directory: ''", "1:18: state_directory: '' is no path"),
            (
                "socket: '/run/" + String(repeating: "s", count: 103) + "'",
                "socket: '/run/sssss"
            ),
            ("rules: { fence_limit: 19 }", "rules.fence_limit: 19 is out of range, allowed 0...18"),
            (
                "position: { lat: 91, lon: 0 }",
                "position.lat: expected degrees, allowed -90.0...90.0"
            ),
            (
                "position: { lat: 0.00009, lon: 0 }",
                "1:18: position.lat: 0 N 0 E is taken for no position: set lat and lon"
            ),
            (
                "position: { lat: 1, lon: 0, accuracy_m: 101 }",
                "position.accuracy_m: 101.0 is out of range, allowed 0.01...100.0"
            ),
            ("rulez: {}", "rulez: "),
            ("log_level: loud", "log_level: "),
            (server + "fences_file: a.geojson", "fences_file: not together with server"),
            ("server: { url: https://a, client_key: k.pem }", "server.client_key: "),
        ])
    func refusals(text: String, expected: String) {
        do {
            _ = try Self.decode(text)
            Issue.record("accepted: \(text)")
        } catch {
            #expect("\(error)".contains(expected), "\(error)")
            #expect("\(error)".hasPrefix("test.yaml:"))
        }
    }
}
