/// Windows of time: `days[mon..sun], start "HH:MM", end "HH:MM", all_day`.
public enum WindowCheck {
    private static let days: Set<String> = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    public static func defects(of value: JSONValue, at pointer: String) -> [Problem.Defect] {
        func defect(_ name: String, _ detail: String) -> [Problem.Defect] {
            [Problem.Defect(pointer: pointer + name, code: "invalid_window", detail: detail)]
        }
        if case .null = value { return [] }
        guard case .object(let members) = value else { return defect("", "not an object") }
        if let days = members["days"] {
            guard case .array(let list) = days, list.allSatisfy(isDay) else {
                return defect("/days", "not a list of mon, tue, wed, thu, fri, sat, sun")
            }
        }
        if members["all_day"] == .bool(true) { return [] }
        guard let start = members["start"].flatMap(minutes) else {
            return defect("/start", "not a time \"HH:MM\"")
        }
        guard let end = members["end"].flatMap(minutes) else {
            return defect("/end", "not a time \"HH:MM\"")
        }
        return start == end ? defect("/end", "the same as start: empty or whole?") : []
    }

    private static func isDay(_ value: JSONValue) -> Bool {
        if case .string(let text) = value { return days.contains(text) }
        return false
    }

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
