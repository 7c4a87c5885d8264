import Timekeeping

/// When a device that has nothing to upload says that it is there, and hears what has changed.
///
/// Any answer of the server to a batch carries the same news, and puts the next heartbeat off.
struct HeartbeatSchedule: Hashable, Sendable {
    /// Where in the first period the first heartbeat falls, 0 ..< 1, so that devices which got
    /// their power back in the same second do not beat in the same second ever after.
    private let phase: Double
    private var last: Uptime?
    private var periods: Double
    /// The server has no use for heartbeats until then; nil: it takes them.
    private var refusedUntil: Uptime?

    init(phase: Double) {
        self.phase = phase.isFinite ? min(max(phase, 0), 1) : 0
        periods = 1 - self.phase
    }

    /// When the next one is due; nil: there are none.
    mutating func due(at now: Uptime, periodSeconds: Double?) -> Uptime? {
        guard let periodSeconds else { return nil }
        let start = last ?? now
        last = start
        let due = start.advanced(bySeconds: periodSeconds * periods)
        return refusedUntil.map { max($0, due) } ?? due
    }

    /// The server has answered a batch or a heartbeat. `random` is uniform in 0 ..< 1; it shortens
    /// the next period by up to a tenth, so that a herd disperses.
    mutating func heard(at now: Uptime, random: Double) {
        last = now
        periods = 1 - UploadPolicy.heartbeatSpread * min(max(random, 0), 1)
    }

    /// The server does not want them; it may be another version tomorrow.
    mutating func refused(at now: Uptime, seconds: Double) {
        last = now
        refusedUntil = now.advanced(bySeconds: seconds)
    }
}
