import Geofencing
import Positioning

/// Every number of the pipeline: configuration first, then what the server says.
public struct PipelineRules: Hashable, Sendable {
    public var filter = FixFilterRules()
    public var transitions = TransitionRules()
    public var regionProfile = RegionProfile.gnss
    /// Fences monitored at once, 0 ... 18; 0 is the kill switch.
    public var fenceLimit = RegionBudget.limit

    /// Whether the device has a place, so that leaving it is an event (`moved`).
    public var watchesHome = false

    public init() {}

    /// The rules with the server's say applied.
    public func applying(_ remote: RemoteConfiguration?) -> PipelineRules {
        guard let remote else { return self }
        var result = self
        result.transitions.apply(remote)
        if let limit = remote.fenceLimit {
            result.fenceLimit = min(max(0, limit), RegionBudget.limit)
        }
        if let meters = remote.arriveMaxMeters, meters > 0 {
            result.filter.arriveMaxMeters = meters
        }
        if let meters = remote.departMaxMeters, meters > 0 {
            result.filter.departMaxMeters = meters
        }
        return result
    }
}
