import Timekeeping

/// The forms in which CSV files write a time.
enum CSVTime {
    /// Without a date: RFC 3339, or seconds or milliseconds since 1970. With one: 2019/03/08,
    /// 2019-03-08 or yymmdd, and hh:mm:ss or hhmmss with any decimals.
    static func instant(_ text: String?, date: String?) -> UTCTime? {
        guard let text else { return nil }
        guard let date else { return instant(text) }
        guard let day = day(date), let time = timeOfDay(text) else { return nil }
        return UTCTime(date: day, millisecondsOfDay: time)
    }

    private static func instant(_ text: String) -> UTCTime? {
        if let time = UTCTime(rfc3339: text) { return time }
        guard let number = Double(text), number > 0, number < 1e14 else { return nil }
        return UTCTime(
            millisecondsSince1970: Int64((number < 1e11 ? number * 1000 : number).rounded()))
    }

    private static func day(_ text: String) -> CalendarDate? {
        let parts = text.split(whereSeparator: { $0 == "/" || $0 == "-" }).map { Int($0) }
        if parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2] {
            return CalendarDate(year: year, month: month, day: day)
        }
        guard text.utf8.count == 6, let digits = Int(text), digits >= 0 else { return nil }
        let year = digits / 10_000
        return CalendarDate(
            year: year < 80 ? 2000 + year : 1900 + year, month: digits / 100 % 100,
            day: digits % 100)
    }

    /// Milliseconds.
    private static func timeOfDay(_ text: String) -> Int64? {
        let digits = text.filter { $0 != ":" }
        let whole = digits.prefix { $0 != "." }
        guard whole.utf8.count == 6, let clock = Int64(whole), clock >= 0,
            let fraction = Double("0" + digits.dropFirst(6)), fraction >= 0
        else { return nil }
        let (hour, minute, second) = (clock / 10_000, clock / 100 % 100, clock % 100)
        guard hour < 24, minute < 60, second < 60 else { return nil }
        return ((hour * 60 + minute) * 60 + second) * 1000 + Int64((fraction * 1000).rounded())
    }
}
