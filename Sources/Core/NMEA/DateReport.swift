import Timekeeping

/// ZDA: the date and the time of day.
struct DateReport {
    private(set) var time: TimeOfDay?
    private(set) var date: CalendarDate?

    /// Reads ZDA, 5-7 fields: time, day, month, year, hours and minutes of the local zone. False
    /// where it is malformed; a wrong date alone is nil.
    mutating func read(_ fields: inout FieldCursor) -> Bool {
        time = fields.timeOfDay()
        date = fields.longDate()
        if fields.hasField { _ = fields.signedNumber() }
        if fields.hasField { _ = fields.signedNumber() }
        return fields.isComplete
    }
}
