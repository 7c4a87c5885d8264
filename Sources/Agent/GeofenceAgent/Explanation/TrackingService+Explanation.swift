import WireFormat

extension TrackingService {
    /// Why a stored event happened.
    func explanation(of event: WireEvent) -> EventReport {
        let fence = event.fenceID.flatMap { id in
            pipeline.tracker.explanation(of: id.text, at: time.uptime)?.fence
        }
        return EventReport(event, fence: fence, rules: pipeline.rules.transitions)
    }

    /// Why a fence has no event; nil: it is not known.
    func explanation(ofFence id: String) -> FenceReport? {
        let now = time.uptime
        return pipeline.tracker.explanation(of: id, at: now).map { FenceReport($0, at: now) }
    }
}
