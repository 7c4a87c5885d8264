import Delivery
import Positioning
import Timekeeping
import WireFormat

extension TrackingService {
    /// The newest anchor of this boot, so that a restart need not make a new one.
    func restoreClock() {
        if let anchor = queue.clockAnchors.first(where: { $0.bootID == bootID }) {
            clock.restore(anchor)
            settings.certificateTime.learn(TrustedTime(time: anchor.utc, uptime: anchor.uptime))
        }
        outbox.restore(from: queue)
        if let last = lastGoodTime() { settings.certificateTime.restore(last) }
    }

    /// A trusted time that ties this boot to UTC is written at once: events that were decided
    /// before it get their time from it.
    ///
    /// A receiver that never says what time it is leaves that to a synchronised clock.
    func learnTime(from fix: Fix, _ wallClock: WallClockReading) {
        let isNews: Bool
        let utc: UTCTime
        if let time = fix.time {
            guard fix.isTimeTrusted else { return }
            settings.certificateTime.learn(TrustedTime(time: time, uptime: fix.uptime))
            utc = time
            isNews = clock.learn(
                time, from: fix.source == .fixed ? .disciplined : .gnss, at: fix.uptime,
                bootID: bootID)
        } else {
            guard fix.coordinate != nil, wallClock.isSynchronised, clock.anchor == nil else {
                return
            }
            utc = wallClock.time
            isNews = clock.learn(utc, from: .disciplined, at: time.uptime, bootID: bootID)
        }
        guard isNews else { return }
        settle(
            PipelineOutput(),
            values: [.lastGoodTime: Array(utc.rfc3339.utf8)])
    }

    /// The earliest date that a receiver may claim: the release, or a week before the last time
    /// that was trusted on this machine.
    public func dateFloor() -> CalendarDate {
        guard let last = lastGoodTime() else { return settings.dateFloor }
        let week = last.advanced(byMilliseconds: -7 * UTCTime.millisecondsPerDay).date
        return week.daysSince1970 > settings.dateFloor.daysSince1970 ? week : settings.dateFloor
    }

    private func lastGoodTime() -> UTCTime? {
        (try? queue.state(.lastGoodTime)).flatMap {
            UTCTime(rfc3339: String(decoding: $0, as: UTF8.self))
        }
    }

    /// The last trusted time of this boot; nil: none yet.
    public func lastTrusted() -> TrustedTime? {
        clock.anchor.map { TrustedTime(time: $0.utc, uptime: $0.uptime) }
    }
}
