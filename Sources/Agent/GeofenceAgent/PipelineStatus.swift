import Geofencing
import Positioning
import Timekeeping

/// A look at the pipeline for `status`, the pages and the heartbeat.
public struct PipelineStatus: Sendable {
    /// Every fence of the pool, nearest first.
    public var fences: [FenceStatus]
    /// The last accepted fix; nil before the first of this boot is taken in.
    public var lastFix: FilteredFix?
    /// Whether that fix is too old to say where the device is.
    public var isFixExpired: Bool
    public var verdictCounts: FixVerdictCounts
    /// Seconds between fixes; nil until there are two.
    public var nominalPeriodSeconds: Double?
    public var isStationary: Bool
    /// Whether every fence that may hold the device is known.
    public var coverage: CoverageStatus
}

extension TrackingPipeline {
    /// Read-only; linear in the pool.
    public func status(at now: Uptime) -> PipelineStatus {
        PipelineStatus(
            fences: tracker.status(at: now), lastFix: bridge == nil ? tracker.lastFix : nil,
            isFixExpired: filter.isExpired(at: now), verdictCounts: filter.counts,
            nominalPeriodSeconds: filter.period.seconds, isStationary: tracker.isStopped,
            coverage: coverage?.status ?? .complete)
    }
}
