import Timekeeping

/// Mends dates of receivers that lost count of GPS weeks, and knows those that none can mean.
public enum WeekRollover {
    /// The 10-bit week number of GPS starts afresh after so many days.
    public static let periodDays: Int64 = 1024 * 7
    /// A date further past the floor is refused, mended or not.
    public static let maximumDaysPastFloor: Int64 = 15 * 366

    /// 1980-01-01, in days since 1970: there was no GPS time before.
    private static let firstDay: Int64 = 3652

    /// What may be made of a date.
    public enum Verdict: Hashable, Sendable {
        case kept
        /// So many days have to be added.
        case moved(days: Int64)
        /// Never to be trusted.
        case refused
    }

    /// The earliest date that can be true: the build's, or seven days before the last time that was
    /// trusted and persisted, whichever is later.
    public static func floor(build: CalendarDate?, lastTrusted: UTCTime?) -> CalendarDate? {
        let persisted = lastTrusted.map { CalendarDate(daysSince1970: $0.date.daysSince1970 - 7) }
        guard let build else { return persisted }
        guard let persisted, persisted.daysSince1970 > build.daysSince1970 else { return build }
        return persisted
    }

    /// Judges the date of an instant by the floor; nil is no floor, as for recordings.
    public static func judge(_ time: UTCTime, floor: CalendarDate?) -> Verdict {
        let day = time.daysSince1970
        guard day >= firstDay, !isColdStart(day: day) else { return .refused }
        guard let floor else { return .kept }
        let missing = floor.daysSince1970 - day
        let periods = missing <= 0 ? 0 : (missing + periodDays - 1) / periodDays
        guard periods * periodDays - missing <= maximumDaysPastFloor else { return .refused }
        return periods == 0 ? .kept : .moved(days: periods * periodDays)
    }

    /// Whether receivers send this date before they know one: any of 1980 and 2080, the days on
    /// which the week number was 0, and 2013-09-01.
    public static func isColdStart(_ date: CalendarDate) -> Bool {
        isColdStart(day: date.daysSince1970)
    }

    private static func isColdStart(day: Int64) -> Bool {
        switch day {
        case 3652...4017: true  // 1980
        case 40_177...40_542: true  // 2080
        case 10_825, 17_993: true  // 1999-08-22, 2019-04-07
        case 15_949: true  // 2013-09-01
        default: false
        }
    }
}
