/// The part of the configuration that names the queue and the server, for what must work also where
/// the rest is wrong: an event that is on the disk must not wait for a person to mend the receiver.
///
/// Read it with unknown keys ignored.
public struct DeliveryConfiguration: Decodable, Sendable {
    /// Everything else has its default.
    public let agent: AgentConfiguration

    public init(from decoder: any Decoder) throws {
        typealias Keys = AgentConfiguration.CodingKeys
        let container = try decoder.container(keyedBy: Keys.self)
        var agent = AgentConfiguration()
        agent.server = try container.decodeIfPresent(ServerSettings.self, forKey: .server)
        agent.device =
            (try container.decodeIfPresent(DeviceSettings.self, forKey: .device)) ?? agent.device
        agent.stateDirectory = try container.decodePathIfPresent(forKey: .stateDirectory)
        agent.socket = try container.decodePathIfPresent(forKey: .socket, longest: 107)
        agent.queue =
            ((try? container.decodeIfPresent(QueueSettings.self, forKey: .queue)) ?? nil)
            ?? agent.queue
        agent.upload =
            ((try? container.decodeIfPresent(UploadSettings.self, forKey: .upload)) ?? nil)
            ?? agent.upload
        self.agent = agent
    }
}
