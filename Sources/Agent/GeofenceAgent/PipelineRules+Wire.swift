import WireFormat

extension PipelineRules {
    /// `defaults`, overridden where the wire's rules speak.
    public init(_ wire: WireRules?, over defaults: PipelineRules = PipelineRules()) {
        self = defaults
        guard let wire else { return }
        wire.apply(to: &filter)
        wire.apply(to: &transitions)
        regionProfile = wire.regionProfile ?? regionProfile
        fenceLimit = wire.fenceLimit ?? fenceLimit
    }
}

extension PipelineRules {
    /// The rules of a configuration or a recording: what it says, what the profile implies where it
    /// is silent, and `defaults`.
    public init(
        _ wire: WireRules?, profile: DeviceSettings.Profile,
        over defaults: PipelineRules = PipelineRules()
    ) {
        var wire = wire ?? WireRules()
        if profile == .kiosk {
            wire.stationaryHold = wire.stationaryHold ?? true
            wire.bridgeMaxSeconds = wire.bridgeMaxSeconds ?? .infinity
        }
        self.init(wire, over: defaults)
        watchesHome = watchesHome || profile == .kiosk
    }
}
