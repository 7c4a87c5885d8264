/// VTG: speed and course over ground.
struct Velocity {
    /// Metres per second.
    private(set) var speed: Double?
    /// Degrees true.
    private(set) var course: Double?

    /// One knot in metres per second.
    static let knot = 1852.0 / 3600

    /// Reads VTG, 9-10 fields: course, T, magnetic course, M, knots, N, km/h, K, FAA mode; or 5
    /// fields: the four numbers alone. The FAA letter is ignored. False where it is malformed.
    @inline(__always)
    mutating func read(_ fields: inout FieldCursor) -> Bool {
        course = fields.number()
        let isLabelled = fields.isAt(Letter.trueNorth) || fields.fieldsLeft > 3
        if isLabelled { fields.expect(Letter.trueNorth) }
        _ = fields.number()
        if isLabelled { fields.expect(Letter.meters) }
        let knots = fields.number()
        if isLabelled { fields.expect(Letter.knots) }
        let kilometersPerHour = fields.number()
        if isLabelled {
            fields.expect(Letter.kilometersPerHour)
            if fields.hasField { _ = fields.letter() }
        }
        speed = knots.map { $0 * Self.knot } ?? kilometersPerHour.map { $0 / 3.6 }
        return fields.isComplete
    }
}
