import Campaigns
import Geofencing
import TestSupport
import Timekeeping

/// A desk with a clock that moves when told to: uptime, UTC and what the device believes of it.
struct DeskBench {
    static let start = UTCTime(millisecondsSince1970: 1_780_000_000_000)

    var desk: NotificationDesk
    var bootID = BootID("boot1")
    var uptimeMilliseconds: Int64 = 60_000
    var utc: UTCTime? = start

    init(
        _ fences: [FenceNotices], rules: NotificationRules = NotificationRules(),
        restoring state: NotificationState? = nil
    ) {
        desk = NotificationDesk(
            book: NotificationBook(fences, rules: rules, zones: FixtureZones.shared),
            bootID: bootID, restoring: state)
    }

    static func fence(
        _ id: String = "A", priority: Int = 0, cooldownHours: Double? = nil,
        timezone: String? = "Europe/Berlin", windows: [WeeklyWindow] = [],
        quiet: WeeklyWindow? = nil,
        campaigns: [Campaign] = [Campaign(id: "hello", trigger: .enter, title: "Hello")]
    ) -> FenceNotices {
        FenceNotices(
            fenceID: id, priority: priority, cooldownHours: cooldownHours, timezone: timezone,
            activeWindows: windows, quietHours: quiet, campaigns: campaigns)
    }

    var now: Moment { Moment(uptime: Uptime(milliseconds: uptimeMilliseconds), utc: utc) }

    mutating func wait(hours: Double) {
        uptimeMilliseconds += Int64(hours * 3_600_000)
        utc = utc?.advanced(byMilliseconds: Int64(hours * 3_600_000))
    }

    /// Another boot, with what was written last; nothing of the time in between is in the uptime.
    mutating func reboot(afterHours hours: Double, knowingTime: Bool = true) {
        let state = desk.state
        bootID = BootID(bootID.text + "x")
        uptimeMilliseconds = 30_000
        utc = knowingTime ? utc?.advanced(byMilliseconds: Int64(hours * 3_600_000)) : nil
        desk = NotificationDesk(book: desk.book, bootID: bootID, restoring: state)
    }

    mutating func decide(
        _ fenceID: String = "A", _ kind: Transition.Kind = .enter, mayNotify: Bool = true,
        reason: String? = nil
    ) -> NotificationDecision {
        desk.decide(
            [
                NotificationOccasion(
                    fenceID: fenceID, kind: kind, occurred: now, detected: now,
                    mayNotify: mayNotify, reason: reason)
            ], at: now)[0]
    }

    /// Decides enters of several fences that one fix confirmed.
    mutating func decide(together fences: [String]) -> [NotificationDecision] {
        desk.decide(
            fences.map {
                NotificationOccasion(fenceID: $0, kind: .enter, occurred: now, detected: now)
            }, at: now)
    }
}

extension NotificationDecision {
    /// "shown", "none" or the reason.
    var word: String { outcome == .suppressed ? reason ?? "?" : outcome.rawValue }
}
