import Geodesy

extension FieldCursor {
    /// Takes four fields: latitude, N or S, longitude, E or W. Nil where one of them is empty, or
    /// holds the filler 36000.0.
    @inline(__always)
    mutating func coordinate() -> Coordinate? {
        let latitude = degrees(integerDigits: 4, limit: 90)
        let northing = letter()
        let longitude = degrees(integerDigits: 5, limit: 180)
        let easting = letter()
        let isSouth = northing == Letter.south
        let isWest = easting == Letter.west
        if northing != nil, !isSouth, northing != Letter.north { isMalformed = true }
        if easting != nil, !isWest, easting != Letter.east { isMalformed = true }
        guard let latitude, let longitude, northing != nil, easting != nil, !isMalformed else {
            return nil
        }
        // Negated last: in whole degrees the sign of 0 would be lost.
        return Coordinate(
            latitude: isSouth ? -latitude : latitude, longitude: isWest ? -longitude : longitude)
    }

    /// Takes ddmm.m or dddmm.m; one more leading 0 is allowed for the shorter one.
    @inline(__always)
    private mutating func degrees(integerDigits: Int, limit: Int64) -> Double? {
        let start = next
        guard let field = decimal() else { return nil }
        let fractionUnit = field.unit
        let whole = field.whole
        guard whole != Self.filler || field.digits != whole * fractionUnit else { return nil }
        let minutes = whole % 100
        // 60 x 10^9 x 180 fits into a Double without loss, so the one division rounds once.
        let scaled =
            field.digits - (whole - minutes) * fractionUnit + whole / 100 * 60 * fractionUnit
        guard minutes < 60, scaled <= limit * 60 * fractionUnit,
            field.integerCount == integerDigits
                || field.integerCount == 5 && integerDigits == 4 && start[0] == Byte.zero
        else { return fail() }
        return Double(scaled) / Self.minuteUnits[field.scale]
    }

    /// Some receivers write 36000.0 for a latitude that they do not have.
    private static let filler: Int64 = 36_000

    private static let minuteUnits: [Double] = [
        60, 6e2, 6e3, 6e4, 6e5, 6e6, 6e7, 6e8, 6e9, 6e10,
    ]
}
