import Delivery
import Positioning

/// The positions that the device keeps for itself, where it is told to.
extension TrackingService {
    /// Takes in the accepted fixes of an input. A fixed position goes nowhere and leaves none.
    func gather(_ output: PipelineOutput) {
        guard breadcrumbs != nil else { return }
        let now = time.uptime
        for fix in output.released { gather(fix) }
        if let fix = output.judged { gather(fix) }
        if let group = breadcrumbs?.takeDue(at: now) { write(group) }
    }

    private func gather(_ judged: FilteredFix) {
        let fix = judged.fix
        guard judged.verdict.isAccepted, fix.source != .fixed, let coordinate = fix.coordinate
        else { return }
        let crumb = Breadcrumb(
            bootID: bootID, uptime: fix.uptime,
            time: fix.isTimeTrusted ? fix.time : pipeline.moment(at: fix.uptime).utc,
            coordinate: coordinate, accuracyMeters: judged.accuracyMeters, speed: fix.speed)
        breadcrumbs?.add(crumb, at: time.uptime)
    }

    /// Writes what is due by time, or with `always` whatever there is.
    func writeBreadcrumbs(always: Bool = false) {
        let group = always ? breadcrumbs?.takeAll() : breadcrumbs?.takeDue(at: time.uptime)
        if let group, !group.isEmpty { write(group) }
    }

    private func write(_ group: [Breadcrumb]) {
        liveness.during(.writer, within: 0) { queue.keep(group) }
    }
}
