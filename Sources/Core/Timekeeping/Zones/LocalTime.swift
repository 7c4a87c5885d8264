/// What calendar and clock on a wall show.
public struct LocalTime: Hashable, Sendable {
    /// The calendar's day, counted from 1970-01-01 of the same calendar.
    public var daysSince1970: Int64
    /// What the clock shows, 0 ..< 86,400,000.
    public var millisecondsOfDay: Int64

    /// The wall's time `offsetSeconds` east of UTC.
    public init(_ time: UTCTime, offsetSeconds: Int) {
        let local = time.advanced(byMilliseconds: Int64(offsetSeconds) * 1000)
        daysSince1970 = local.daysSince1970
        millisecondsOfDay = local.millisecondsOfDay
    }

    public init(daysSince1970: Int64, millisecondsOfDay: Int64) {
        self.daysSince1970 = daysSince1970
        self.millisecondsOfDay = millisecondsOfDay
    }

    public var weekday: Weekday { Weekday(daysSince1970: daysSince1970) }

    /// Minutes since the clock showed midnight, 0 ... 1439.
    public var minuteOfDay: Int { Int(millisecondsOfDay / 60_000) }
}
