import Geofencing
import Timekeeping

/// A process that is killed and followed by the next one in the same boot.
extension TrackingPipeline {
    /// What the next process needs to decide as this one would; nil while something from before is
    /// not yet in its place.
    public var snapshot: PipelineSnapshot? {
        guard bridge == nil, !tracker.isIncomplete else { return nil }
        return PipelineSnapshot(
            filter: filter, tracker: tracker, budget: budget, home: home, lastTrusted: lastTrusted,
            coverage: coverage?.memory)
    }

    /// Takes over from the process before; the fences come next.
    mutating func takeOver(_ snapshot: PipelineSnapshot, syncingFrom start: Uptime?) {
        filter = snapshot.filter
        filter.rules = rules.filter
        tracker = snapshot.tracker
        tracker.rules = rules.transitions
        budget = snapshot.budget
        home = snapshot.home
        lastTrusted = snapshot.lastTrusted
        if let start, let memory = snapshot.coverage {
            coverage = CoverageGuard(resuming: memory, at: start)
        }
        needsRegistration = true
    }
}
