import Campaigns
import Timekeeping

/// Windows of time: `days[mon..sun], start "HH:MM", end "HH:MM", all_day`.
public enum WindowCheck {
    /// The names of all members of a window.
    public static let names: Set<String> = ["days", "start", "end", "all_day"]

    /// What is wrong with a window; empty: nothing.
    public static func defects(of value: JSONValue, at pointer: String) -> [Problem.Defect] {
        do throws(WireError) {
            _ = try window(value, at: pointer)
            return []
        } catch {
            return [
                Problem.Defect(
                    pointer: error.pointer, code: "invalid_window", detail: error.detail)
            ]
        }
    }

    /// Reads a window; null is none. No days are all days.
    public static func window(
        _ value: JSONValue, at pointer: String
    ) throws(WireError) -> WeeklyWindow? {
        if case .null = value { return nil }
        guard case .object(let members) = value else {
            throw WireError(pointer: pointer, detail: "not an object")
        }
        let days = try days(members["days"], at: pointer + "/days")
        var hours = WeeklyWindow.Hours.allDay
        if members["all_day"] != .bool(true) {
            guard let start = members["start"].flatMap(minutes) else {
                throw WireError(pointer: pointer + "/start", detail: "not a time \"HH:MM\"")
            }
            guard let end = members["end"].flatMap(minutes) else {
                throw WireError(pointer: pointer + "/end", detail: "not a time \"HH:MM\"")
            }
            hours = .between(start: start, end: end)
        }
        guard let window = WeeklyWindow(days: days, hours: hours) else {
            throw WireError(
                pointer: pointer + "/end", detail: "the same as start: empty or whole?")
        }
        return window
    }

    private static func days(
        _ value: JSONValue?, at pointer: String
    ) throws(WireError) -> Set<Weekday> {
        guard let value, value != .null else { return Set(Weekday.allCases) }
        guard case .array(let list) = value, !list.isEmpty else {
            throw WireError(pointer: pointer, detail: notDays)
        }
        var days: Set<Weekday> = []
        for entry in list {
            guard case .string(let text) = entry, let day = Weekday(shortName: text) else {
                throw WireError(pointer: pointer, detail: notDays)
            }
            days.insert(day)
        }
        return days
    }

    private static let notDays = "not a list of mon, tue, wed, thu, fri, sat, sun"

    /// Minutes since midnight of "HH:MM".
    private static func minutes(_ value: JSONValue) -> Int? {
        guard case .string(let text) = value, text.utf8.count == 5 else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 2, let hour = Int(parts[0]),
            let minute = Int(parts[1]), (0...23).contains(hour), (0...59).contains(minute),
            !text.contains("+"), !text.contains("-")
        else { return nil }
        return hour * 60 + minute
    }
}
