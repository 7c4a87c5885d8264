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
