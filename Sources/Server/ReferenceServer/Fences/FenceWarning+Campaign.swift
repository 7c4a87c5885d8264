import Geofencing
import WireFormat

extension FenceReading.Warning {
    /// Nil: the fence reports what the campaign waits for.
    init?(unreported campaign: WireCampaign, at fence: WireFence) {
        let reported = fence.transitions ?? Transition.Kind.allCases
        guard !reported.contains(campaign.trigger) else { return nil }
        self.init(
            fenceID: fence.id.text, code: "trigger_not_reported",
            detail: "campaign '\(campaign.id.text)' waits for \(campaign.trigger.rawValue), "
                + "which is not among the fence's transitions")
    }
}
