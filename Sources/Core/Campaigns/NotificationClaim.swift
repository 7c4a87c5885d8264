import Geofencing
import Timekeeping

/// That something was shown: it holds back what comes too soon after it.
public struct NotificationClaim: Hashable, Sendable, Codable {
    public var fenceID: String
    /// Nil: the server's word on an event for which this device knew no campaign.
    public var campaignID: String?
    /// When it occurred. The uptime is that of the present boot; nil: it was before this boot.
    public var occurred: Moment
    /// Hours after which nothing is held back by it.
    public var hours: Double

    init(fenceID: String, campaignID: String?, occurred: Moment, hours: Double) {
        self.fenceID = fenceID
        self.campaignID = campaignID
        self.occurred = occurred
        self.hours = hours
    }

    enum CodingKeys: String, CodingKey {
        case occurred, hours
        case fenceID = "fence_id"
        case campaignID = "campaign_id"
    }

    /// Milliseconds from it to a moment of this boot, never less than nothing and never more than
    /// there were: what was before this boot is at least as old as the boot, whatever clocks say.
    func age(at moment: Moment) -> Int64 {
        if let start = occurred.uptime, let end = moment.uptime {
            return max(0, Self.difference(end.milliseconds, start.milliseconds))
        }
        var age = max(0, moment.uptime?.milliseconds ?? 0)
        if let start = occurred.utc, let end = moment.utc {
            age = max(age, end.milliseconds(since: start))
        }
        return age
    }

    /// Ties it to the present boot, once and for all clocks to come, and its UTC to what is now
    /// known. True where that is news worth writing.
    mutating func settle(at now: Moment) -> Bool {
        guard let uptime = now.uptime, let utc = now.utc else { return false }
        let age = age(at: now)
        let time = utc.advanced(byMilliseconds: -age)
        let drift = occurred.utc.map { time.milliseconds(since: $0).magnitude }
        guard occurred.uptime == nil || (drift ?? .max) > 60_000 else { return false }
        if occurred.uptime == nil {
            occurred.uptime = Uptime(milliseconds: uptime.milliseconds - age)
        }
        occurred.utc = time
        return true
    }

    /// Whether both are of the same event.
    func isSame(as other: NotificationClaim) -> Bool {
        guard fenceID == other.fenceID, campaignID == other.campaignID else { return false }
        if let one = occurred.uptime, let two = other.occurred.uptime { return one == two }
        guard let one = occurred.utc, let two = other.occurred.utc else { return false }
        return one.milliseconds(since: two).magnitude <= 1000
    }

    private static func difference(_ end: Int64, _ start: Int64) -> Int64 {
        let (result, overflow) = end.subtractingReportingOverflow(start)
        return overflow ? (end < 0 ? .min : .max) : result
    }
}
