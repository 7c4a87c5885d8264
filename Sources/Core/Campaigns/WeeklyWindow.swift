import Timekeeping

/// Hours of some days of the week, as quiet hours and active windows are given.
///
/// The clock on the wall decides: a moment lies in the window when the wall's time does. So an edge
/// inside the hour that a change to daylight time leaves out is met when clocks jump over it, a
/// window that lies wholly inside that hour does not exist on that day, and a part of the hour that
/// comes twice is in the window both times.
public struct WeeklyWindow: Hashable, Sendable {
    /// Days on which the window begins; never empty.
    public let days: Set<Weekday>
    public let hours: Hours

    public enum Hours: Hashable, Sendable {
        case allDay
        /// Minutes since midnight, 0 ... 1439, from `start` up to and without `end`. A start after
        /// the end crosses midnight; what is after midnight belongs to the day of the start.
        case between(start: Int, end: Int)
    }

    public static let minutesOfDay = 0...1439

    /// Nil without a day, for a minute that no day has, and for a start that is the end: that could
    /// be the empty window or the whole day.
    public init?(days: Set<Weekday> = Set(Weekday.allCases), hours: Hours) {
        guard !days.isEmpty else { return nil }
        if case .between(let start, let end) = hours {
            guard start != end, Self.minutesOfDay.contains(start), Self.minutesOfDay.contains(end)
            else { return nil }
        }
        self.days = days
        self.hours = hours
    }

    /// Whether the wall's time lies in the window.
    public func contains(_ local: LocalTime) -> Bool {
        switch hours {
        case .allDay: return days.contains(local.weekday)
        case .between(let start, let end):
            let minute = local.minuteOfDay
            if start < end {
                return minute >= start && minute < end && days.contains(local.weekday)
            }
            if minute >= start { return days.contains(local.weekday) }
            return minute < end && days.contains(local.previousDay)
        }
    }
}

extension LocalTime {
    fileprivate var previousDay: Weekday { Weekday(daysSince1970: daysSince1970 - 1) }
}

extension WeeklyWindow: CustomStringConvertible {
    /// `22:00-06:00`, `all day`, with the days where it is not every day: `09:00-17:00 mon tue`.
    public var description: String {
        let time: String
        switch hours {
        case .allDay: time = "all day"
        case .between(let start, let end): time = "\(Self.clock(start))-\(Self.clock(end))"
        }
        guard days.count < Weekday.allCases.count else { return time }
        let names = Weekday.allCases.filter(days.contains).map(\.shortName)
        return "\(time) \(names.joined(separator: " "))"
    }

    static func clock(_ minutes: Int) -> String {
        let (hour, minute) = (minutes / 60, minutes % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}

extension Weekday {
    /// As the wire has it: mon, tue, wed, thu, fri, sat, sun.
    public var shortName: String {
        switch self {
        case .monday: "mon"
        case .tuesday: "tue"
        case .wednesday: "wed"
        case .thursday: "thu"
        case .friday: "fri"
        case .saturday: "sat"
        case .sunday: "sun"
        }
    }

    /// Nil for what is no `shortName`.
    public init?(shortName: String) {
        guard let day = Self.allCases.first(where: { $0.shortName == shortName }) else {
            return nil
        }
        self = day
    }
}
