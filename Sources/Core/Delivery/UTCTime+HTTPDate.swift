import Timekeeping

extension UTCTime {
    /// Reads the three forms of an HTTP date (RFC 9110 section 5.6.7):
    /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`,
    /// `Sun Nov  6 08:49:37 1994`. Nil for everything else. The day's name is not checked.
    public init?(httpDate text: String) {
        let words = text.split { $0 == " " || $0 == "\t" }.map(String.init)
        let parts: (day: String, month: String, year: String, time: String)
        switch words.count {
        case 6 where words[0].hasSuffix(",") && words[5] == "GMT":
            parts = (words[1], words[2], words[3], words[4])
        case 4 where words[0].hasSuffix(",") && words[3] == "GMT":
            let date = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard date.count == 3 else { return nil }
            parts = (String(date[0]), String(date[1]), String(date[2]), words[2])
        case 5:
            parts = (words[2], words[1], words[4], words[3])
        default: return nil
        }
        guard let month = Self.months.firstIndex(of: parts.month),
            let day = Self.number(parts.day), let year = Self.year(parts.year),
            let date = CalendarDate(year: year, month: month + 1, day: day),
            let milliseconds = Self.millisecondsOfDay(parts.time)
        else { return nil }
        self.init(date: date, millisecondsOfDay: milliseconds)
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Two digits are of this century: the form dates from before 1995 and no answer of today is
    /// that old.
    private static func year(_ text: String) -> Int? {
        guard let year = number(text) else { return nil }
        return text.utf8.count == 2 ? 2000 + year : text.utf8.count == 4 ? year : nil
    }

    private static func millisecondsOfDay(_ text: String) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let hour = number(parts[0]), let minute = number(parts[1]),
            let second = number(parts[2]), hour < 24, minute < 60, second <= 60
        else { return nil }
        return Int64(hour * 3600 + minute * 60 + second) * 1000
    }

    /// One to four digits; nil for everything else, signs included.
    private static func number(_ text: String) -> Int? {
        guard (1...4).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
        else { return nil }
        return Int(text)
    }
}
