import TestSupport
import Testing

@testable import GeofenceAgent
@testable import WireFormat

@Suite("docs/configuration.md")
struct ConfigurationDocumentTests {
    /// Every key path that the types accept.
    static let accepted: Set<String> = {
        func paths(_ prefix: String, _ keys: [any CodingKey]) -> [String] {
            keys.map { prefix.isEmpty ? $0.stringValue : "\(prefix).\($0.stringValue)" }
        }
        let nested: [(String, [any CodingKey])] = [
            ("server", ServerSettings.CodingKeys.allCases),
            ("device", DeviceSettings.CodingKeys.allCases),
            ("position", FixedPosition.CodingKeys.allCases),
            ("receiver", ReceiverSettings.CodingKeys.allCases),
            ("rules", WireRules.CodingKeys.allCases),
            ("queue", QueueSettings.CodingKeys.allCases),
            ("upload", UploadSettings.CodingKeys.allCases),
            ("recording", RecordingSettings.CodingKeys.allCases),
            ("breadcrumbs", BreadcrumbSettings.CodingKeys.allCases),
            ("notify", NotifySettings.CodingKeys.allCases),
        ]
        let top = paths("", AgentConfiguration.CodingKeys.allCases)
            .filter { key in !nested.contains { $0.0 == key } }
        return Set(top + nested.flatMap { paths($0.0, $0.1) })
    }()

    @Test("names every key that the types accept, and no other")
    func keys() throws {
        let bytes = try #require(
            SharedFolder.readFile(SharedFolder.projectRoot + "/docs/configuration.md"))
        let documented = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("| `") }
            .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        #expect(Set(documented) == Self.accepted)
        #expect(documented.count == Self.accepted.count)
    }
}
