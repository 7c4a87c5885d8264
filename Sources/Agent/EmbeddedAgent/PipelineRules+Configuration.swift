import GeofenceAgent

extension PipelineRules {
    /// The rules of a configuration: its `rules`, and what its profile implies where they are
    /// silent.
    init(_ configuration: AgentConfiguration) {
        self.init(configuration.rules, profile: configuration.device.profile)
    }
}
