import GeofenceAgent

extension PipelineRules {
    /// The rules of a configuration: its `rules`, and what its profile implies where they are
    /// silent.
    init(_ configuration: AgentConfiguration) {
        var wire = configuration.rules
        if configuration.device.profile == .kiosk {
            wire.stationaryHold = wire.stationaryHold ?? true
            wire.bridgeMaxSeconds = wire.bridgeMaxSeconds ?? .infinity
        }
        self.init(wire)
    }
}
