import Delivery
import Timekeeping

extension WireEvent {
    /// Fills in the times that were not known when the event was made, from an anchor of its boot.
    ///
    /// The stored event stays as it is; this is for showing it.
    public mutating func resolveTimes(with anchors: [ClockAnchor]) {
        guard detectedAt == nil || occurredAt == nil, let mono = monoMilliseconds,
            let anchor = anchors.first(where: { $0.bootID.text == bootID })
        else { return }
        let detected = anchor.utc(at: Uptime(milliseconds: mono))
        detectedAt = detectedAt ?? WireTime(detected)
        let occurred = occurredMonoMilliseconds ?? mono
        occurredAt = occurredAt ?? WireTime(anchor.utc(at: Uptime(milliseconds: occurred)))
    }
}
