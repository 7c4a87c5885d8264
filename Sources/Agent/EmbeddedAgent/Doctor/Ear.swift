import GeofenceAgent
import LinuxSystem
import Positioning
import Synchronization
import Timekeeping

/// Takes in what a source delivers, on the source's thread.
final class Ear: Sendable {
    let bell = try? WakeEvent()
    private let state: Mutex<State>

    private struct State {
        var filter: FixFilter
        var health: SourceHealth?
    }

    init(rules: FixFilterRules) {
        state = Mutex(State(filter: FixFilter(rules: rules)))
    }

    func take(_ event: SourceEvent) {
        state.withLock { state in
            switch event {
            case .fix(let fix): _ = state.filter.ingest(fix)
            case .health(let health): state.health = health
            default: break
            }
        }
        bell?.signal()
    }

    /// Whether the quality gate has accepted one.
    var hasFix: Bool {
        bell?.clear()
        return state.withLock { $0.filter.lastAccepted != nil }
    }

    /// The source's own words for how it does; empty while all is well.
    var reason: String { state.withLock { $0.health?.reason ?? "" } }

    /// What a source has counted.
    struct Counters {
        var bytes: Int
        var accepted: Int
        var rejected: Int
        /// "accepted", with the word for what is counted.
        var words: String
    }

    func heard(_ counters: Counters, at now: Uptime) -> Heard {
        let (accepted, health) = state.withLock { ($0.filter.lastAccepted, $0.health) }
        let reason = health?.reason ?? ""
        let data: DoctorFacts.Data =
            if counters.accepted > 0 {
                .sentences(
                    accepted: counters.accepted,
                    detail: "\(counters.words), \(counters.rejected) rejected, while listening")
            } else if counters.bytes > 0 {
                .bytesOnly(detail: reason)
            } else if health?.state == .portBusy || health?.state == .permissionDenied {
                .notHeard(reason: reason)
            } else {
                .silent(detail: reason)
            }
        guard let accepted else { return Heard(data: data, fix: .none(detail: reason)) }
        return Heard(
            data: data,
            fix: .fix(
                ageSeconds: now.seconds(since: accepted.fix.uptime),
                detail: "±\(Int(min(accepted.accuracyMeters, 1e6).rounded())) m"))
    }
}
