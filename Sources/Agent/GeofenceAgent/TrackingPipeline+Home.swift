import Delivery
import Geofencing
import Positioning
import Timekeeping

extension TrackingPipeline {
    /// Looks whether a kiosk was carried away.
    mutating func watchHome(
        _ fix: FilteredFix, into output: inout PipelineOutput, _ wallClock: WallClockReading
    ) {
        guard rules.watchesHome, fix.verdict == .ok, let place = fix.fix.coordinate else { return }
        let before = home.state
        let hasMoved = home.take(
            place, accuracyMeters: fix.accuracyMeters, at: fix.fix.uptime)
        if home.state != before { output.stateChanged = true }
        guard hasMoved else { return }
        output.drafts.append(
            recorder.draft(
                .moved, at: moment(at: fix.fix.uptime), fix: fix.fix, wallClock: wallClock))
    }
}
