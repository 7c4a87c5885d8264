import ConfigurationFile
import TestSupport
import Testing

@testable import GeofenceAgent

@Suite("The shipped example configurations")
struct ShippedConfigurationTests {
    @Test("are accepted as they are", arguments: ["vehicle", "kiosk"])
    func accepted(name: String) throws {
        let path = SharedFolder.projectRoot + "/deploy/config/\(name).yaml"
        let configuration = try ConfigurationFile(path: path).decode(AgentConfiguration.self).value
        #expect((configuration.server == nil) == (name == "kiosk"))
        #expect(configuration.device.profile.rawValue == name)
    }
}
