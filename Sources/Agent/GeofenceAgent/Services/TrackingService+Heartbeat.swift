import Delivery
import Timekeeping
import WireFormat

extension TrackingService {
    /// What the server is told when nothing else has been said for a while.
    func heartbeat() -> [UInt8] {
        let now = time.uptime
        let status = status(upload: nil)
        let counts = queue.counts
        let accepted = pipeline.status(at: now).lastFix?.fix
        let lastFix = accepted.flatMap { fix in
            WirePosition(fix).map {
                WireHeartbeat.LastFix(ageSeconds: now.seconds(since: fix.uptime), position: $0)
            }
        }
        let heartbeat = WireHeartbeat(
            deviceID: settings.deviceID, sentAt: time.wallClock.time, bootID: bootID,
            runningSeconds: status.runningSeconds,
            status: WireHeartbeat.Status(
                receiver: status.receiver.state,
                reason: status.receiver.reason.isEmpty ? nil : status.receiver.reason,
                clock: status.clock.source, storage: status.queue.storage,
                checkIn: status.checkIn.state.rawValue, fencesKnown: status.fences.known,
                fencesMonitored: status.fences.monitored, coverage: status.fences.coverage,
                configRevision: status.fences.revision, recording: status.recording.state),
            queue: EventBatch.Queue(
                pending: counts.pending, dead: counts.dead, oldest: counts.oldest),
            lastFix: lastFix, integrityFlags: status.fix.integrityFlags)
        do {
            return try WireCoding.encode(heartbeat)
        } catch {
            // Only a number that JSON cannot spell gets here; the server answers an empty one too.
            log.write(LogLine(.error, "the heartbeat cannot be written: \(error)"))
            return Array("{}".utf8)
        }
    }
}
