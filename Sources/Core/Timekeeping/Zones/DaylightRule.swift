/// The offset of a place by rule: what the TZ string of a TZif footer says (RFC 8536, section 3.3).
struct DaylightRule: Hashable, Sendable {
    /// Seconds east of UTC that an offset may be (RFC 8536, section 3.2).
    static let offsets = -89_999...93_599

    /// Seconds east of UTC in standard time.
    var standardOffset: Int
    /// Nil: there is nothing but standard time.
    var daylight: Daylight?

    /// The other half of the year. Its offset may be the smaller one: Irish standard time is that of
    /// summer.
    struct Daylight: Hashable, Sendable {
        var offset: Int
        /// In standard time.
        var start: Change
        /// In daylight time.
        var end: Change
    }

    /// When clocks change, every year.
    struct Change: Hashable, Sendable {
        var day: Day
        /// Seconds after the midnight with which the day begins, -167 to 167 hours.
        var seconds: Int
    }

    enum Day: Hashable, Sendable {
        /// 1 ... 365; the 29th of February does not count.
        case julian(Int)
        /// 0 ... 365; the 29th of February counts.
        case zeroBased(Int)
        /// The nth (5: last) weekday (0: Sunday) of a month.
        case weekday(month: Int, week: Int, weekday: Int)
    }

    /// Seconds east of UTC at `seconds` since 1970.
    func offsetSeconds(at seconds: Int64) -> Int {
        guard let daylight else { return standardOffset }
        let time = Self.folded(seconds)
        let year = CalendarDate(daysSince1970: time.flooringDivision(by: 86_400)).year
        var latest = Int64.min
        var offset = standardOffset
        for year in year - 2...year + 1 {
            let end = daylight.end.seconds(in: year) - Int64(daylight.offset)
            if end <= time, end > latest { (latest, offset) = (end, standardOffset) }
            // Where both fall together there is daylight time all year (RFC 8536, section 3.3.1).
            let start = daylight.start.seconds(in: year) - Int64(standardOffset)
            if start <= time, start >= latest { (latest, offset) = (start, daylight.offset) }
        }
        return offset
    }

    /// The same time within the years 2000 to 2399: the calendar repeats after 400 years, whole weeks.
    private static func folded(_ seconds: Int64) -> Int64 {
        let start: Int64 = 946_684_800
        let cycle: Int64 = 146_097 * 86_400
        let distance = seconds - start
        return start + distance - distance.flooringDivision(by: cycle) * cycle
    }
}

extension DaylightRule.Change {
    /// Seconds since 1970 at which clocks of a year change, on those clocks.
    fileprivate func seconds(in year: Int) -> Int64 {
        day.daysSince1970(in: year) * 86_400 + Int64(seconds)
    }
}

extension DaylightRule.Day {
    fileprivate func daysSince1970(in year: Int) -> Int64 {
        switch self {
        case .zeroBased(let day): return Self.first(month: 1, year) + Int64(day)
        case .julian(let day):
            let isLeap = Self.first(month: 3, year) - Self.first(month: 2, year) == 29
            return Self.first(month: 1, year) + Int64(day - 1) + (isLeap && day >= 60 ? 1 : 0)
        case .weekday(let month, let week, let weekday):
            let first = Self.first(month: month, year)
            let next =
                month == 12 ? Self.first(month: 1, year + 1) : Self.first(month: month + 1, year)
            let firstWeekday = Int64(Weekday(daysSince1970: first).rawValue % 7)
            var day = first + (Int64(weekday) - firstWeekday + 7) % 7 + Int64(week - 1) * 7
            if day >= next { day -= 7 }
            return day
        }
    }

    /// The first day of a month of a year from 0 to 9999.
    private static func first(month: Int, _ year: Int) -> Int64 {
        CalendarDate(year: year, month: month, day: 1)?.daysSince1970 ?? 0
    }
}
