/// An instant of UTC with millisecond resolution, the resolution of every time on the wire.
///
/// Leap seconds do not exist on this scale: 23:59:60 is 00:00:00 of the next day.
public struct UTCTime: Hashable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before.
    public var millisecondsSince1970: Int64

    @inlinable
    public init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// The given time of day on a date. `milliseconds` may reach past one day or below zero.
    public init(date: CalendarDate, millisecondsOfDay: Int64) {
        millisecondsSince1970 = date.daysSince1970 * Self.millisecondsPerDay + millisecondsOfDay
    }

    public static let millisecondsPerDay: Int64 = 86_400_000

    /// Whole days since 1970-01-01; negative before.
    public var daysSince1970: Int64 {
        millisecondsSince1970.flooringDivision(by: Self.millisecondsPerDay)
    }

    /// The date that holds this instant.
    public var date: CalendarDate { CalendarDate(daysSince1970: daysSince1970) }

    /// Milliseconds since midnight, 0 ..< 86,400,000.
    public var millisecondsOfDay: Int64 {
        let rest = millisecondsSince1970 % Self.millisecondsPerDay
        return rest < 0 ? rest + Self.millisecondsPerDay : rest
    }

    /// This instant moved by whole milliseconds, saturating at the ends of the range.
    public func advanced(byMilliseconds amount: Int64) -> UTCTime {
        let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(amount)
        return UTCTime(
            millisecondsSince1970: overflow ? (amount < 0 ? .min : .max) : sum)
    }

    /// Milliseconds from `earlier` to this instant; negative when `earlier` is later.
    public func milliseconds(since earlier: UTCTime) -> Int64 {
        let (difference, overflow) =
            millisecondsSince1970.subtractingReportingOverflow(earlier.millisecondsSince1970)
        return overflow ? (millisecondsSince1970 < 0 ? .min : .max) : difference
    }

    /// Seconds from `earlier` to this instant.
    public func seconds(since earlier: UTCTime) -> Double {
        Double(milliseconds(since: earlier)) / 1000
    }
}

extension UTCTime: Comparable {
    public static func < (left: UTCTime, right: UTCTime) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }
}

extension Int64 {
    /// The quotient rounded towards minus infinity; `divisor` is positive.
    func flooringDivision(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
