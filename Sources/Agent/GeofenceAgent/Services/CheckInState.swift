import Delivery
import Geofencing
import Positioning
import Timekeeping

/// Derives the check-in state from what the control loop knows. Pure.
///
/// An error clears itself. No fix and no network are none: they are badges beside the word.
struct CheckInState: Sendable {
    /// A receiver that is away for no longer than this is no error, seconds.
    static let receiverPatienceSeconds = 60.0

    private(set) var current = CheckIn(.idle)
    private var absentSince: Uptime?

    /// What it looks at.
    struct Facts {
        var health: SourceHealth
        var storage: StorageHealth
        var arrival: Arrival?
        /// Whether there are fences, and a fix has been judged against them.
        var isMonitoring: Bool
        /// Now, where it is known.
        var utc: UTCTime?
    }

    /// Takes in how things are; the new state where it is another one.
    mutating func take(_ facts: Facts, at now: Uptime) -> CheckIn? {
        absentSince = isAbsent(facts.health) ? absentSince ?? now : nil
        var next = state(facts, at: now)
        // The word is the same: since when does not move.
        if next.shows(current) {
            current.since = current.since ?? next.since
            current.fenceName = next.fenceName
            current.reason = next.reason
            return nil
        }
        if next.fenceID == nil { next.since = facts.utc.map { .init($0) } }
        current = next
        return next
    }

    private func state(_ facts: Facts, at now: Uptime) -> CheckIn {
        if let error = error(facts, at: now) { return error }
        if let arrival = facts.arrival { return CheckIn(arrival) }
        return CheckIn(facts.isMonitoring ? .monitoring : .idle)
    }

    private func error(_ facts: Facts, at now: Uptime) -> CheckIn? {
        switch facts.storage {
        case .durable: break
        case .storageReadOnly(let reason):
            return CheckIn(
                code: CheckIn.storageReadOnlyCode, reason: reason,
                nextAction:
                    "'sudo geofenced doctor' tells a file of another owner from a disk that "
                    + "takes no writes")
        case .diskFull(let reason):
            return CheckIn(
                code: CheckIn.diskFullCode, reason: reason,
                nextAction: "free space on the disk of the state directory")
        }
        if facts.health.state == .permissionDenied {
            return CheckIn(
                code: "permission_denied", reason: facts.health.reason,
                nextAction: "let the service read the receiver: group dialout")
        }
        guard let absentSince,
            now.seconds(since: absentSince) > Self.receiverPatienceSeconds
        else { return nil }
        return CheckIn(
            code: "receiver_absent", reason: facts.health.reason,
            nextAction: "check the receiver, its cable and its supply")
    }

    private func isAbsent(_ health: SourceHealth) -> Bool {
        switch health.state {
        case .noDevice, .portBusy, .noData, .wrongBaud, .permissionDenied: true
        case .opening: absentSince != nil
        case .noFix, .fix, .stale, .frozen: false
        }
    }
}
