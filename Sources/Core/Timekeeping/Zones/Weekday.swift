/// A day of the week; raw values as in ISO 8601.
public enum Weekday: Int, Hashable, Sendable, CaseIterable {
    case monday = 1
    case tuesday, wednesday, thursday, friday, saturday, sunday

    /// The weekday of a day, counted from 1970-01-01, a Thursday.
    public init(daysSince1970 days: Int64) {
        let index = Int(days - (days + 3).flooringDivision(by: 7) * 7 + 3)
        self = Self.allCases[index]
    }
}
