/// VTG and ZDA.
extension SentenceParser {
    /// VTG, 9-10 fields: course, T, magnetic course, M, knots, N, km/h, K, FAA mode; or 5 fields:
    /// the four numbers alone (before NMEA 2.0). The FAA letter is ignored.
    @inline(__always)
    static func velocity(_ fields: inout FieldCursor) -> Sentence {
        let course = fields.number()
        if fields.isAt(Letter.trueNorth) || fields.fieldsLeft > 3 {
            return labelledVelocity(&fields, course)
        }
        _ = fields.number()
        let knots = fields.number()
        let kilometersPerHour = fields.number()
        guard fields.isComplete else { return .malformed }
        return velocity(course, knots, kilometersPerHour)
    }

    @inline(__always)
    private static func labelledVelocity(
        _ fields: inout FieldCursor, _ course: Double?
    ) -> Sentence {
        fields.expect(Letter.trueNorth)
        _ = fields.number()
        fields.expect(Letter.meters)
        let knots = fields.number()
        fields.expect(Letter.knots)
        let kilometersPerHour = fields.number()
        fields.expect(Letter.kilometersPerHour)
        if fields.hasField { _ = fields.letter() }
        guard fields.isComplete else { return .malformed }
        return velocity(course, knots, kilometersPerHour)
    }

    @inline(__always)
    private static func velocity(
        _ course: Double?, _ knots: Double?, _ kilometersPerHour: Double?
    ) -> Sentence {
        .velocity(
            speed: knots.map { $0 * (1852.0 / 3600) } ?? kilometersPerHour.map { $0 / 3.6 },
            course: course)
    }

    /// ZDA, 5-7 fields: time, day, month, year, hours and minutes of the local zone.
    static func date(_ fields: inout FieldCursor) -> Sentence {
        let time = fields.timeOfDay()
        let date = fields.longDate()
        if fields.hasField { _ = fields.signedNumber() }
        if fields.hasField { _ = fields.signedNumber() }
        guard fields.isComplete else { return .malformed }
        return .date(time, date)
    }
}
