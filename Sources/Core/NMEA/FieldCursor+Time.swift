import Timekeeping

extension FieldCursor {
    /// Takes hhmmss with any decimals; 23:59:60 is the first second of the next day.
    @inline(__always)
    mutating func timeOfDay() -> TimeOfDay? {
        guard let field = decimal() else { return nil }
        let whole = field.whole
        let second = whole % 100
        let minute = whole / 100 % 100
        let hour = whole / 10_000
        let isLeapSecond = second == 60 && minute == 59 && hour == 23
        guard hour < 24, minute < 60, second < 60 || isLeapSecond,
            field.integerCount == 6
        else { return fail() }
        let fraction = field.thousandths
        let milliseconds = ((hour * 60 + minute) * 60 + second) * 1000 + fraction
        return TimeOfDay(
            milliseconds: Int32(truncatingIfNeeded: isLeapSecond ? fraction : milliseconds),
            isLeapSecond: isLeapSecond)
    }

    /// Takes ddmmyy; 80 ... 99 are 19yy. Whatever is no date is nil and nothing worse: receivers
    /// send "2208-1" with good positions (gpsd's log april6_2019).
    mutating func shortDate() -> CalendarDate? {
        let field = text()
        guard field.count == 6, let day = Self.twoDigits(field, 0),
            let month = Self.twoDigits(field, 2), let year = Self.twoDigits(field, 4)
        else { return nil }
        return CalendarDate(year: year < 80 ? 2000 + year : 1900 + year, month: month, day: day)
    }

    /// Takes three fields: day, month, year of four digits. Whatever is no date is nil.
    mutating func longDate() -> CalendarDate? {
        let day = text()
        let month = text()
        let year = text()
        guard day.count == 2, month.count == 2, year.count == 4,
            let day = Self.twoDigits(day, 0), let month = Self.twoDigits(month, 0),
            let century = Self.twoDigits(year, 0), let yearOfCentury = Self.twoDigits(year, 2)
        else { return nil }
        return CalendarDate(year: century * 100 + yearOfCentury, month: month, day: day)
    }

    private static func twoDigits(_ field: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int? {
        let tens = field[index] &- Byte.zero
        let units = field[index + 1] &- Byte.zero
        return tens < 10 && units < 10 ? Int(tens) * 10 + Int(units) : nil
    }
}
