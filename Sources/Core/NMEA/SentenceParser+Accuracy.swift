/// GST, GBS, PUBX,00 and PGRME: what receivers say about their error.
extension SentenceParser {
    /// The 68 % radius that belongs to a standard deviation of 1 along each of two axes, over
    /// the root of the sum of their squares.
    static let radiusPerStandardDeviation = 1.07

    /// GST, 9 fields: time, RMS of the ranges, error ellipse (axes, orientation), standard
    /// deviations of latitude, longitude and altitude, all in metres.
    static func standardDeviations(_ fields: inout FieldCursor) -> Sentence {
        let time = fields.timeOfDay()
        _ = fields.number()
        let major = fields.number()
        let minor = fields.number()
        _ = fields.number()
        let latitude = fields.number()
        let longitude = fields.number()
        _ = fields.number()
        guard fields.isComplete else { return .malformed }
        // The axes of the ellipse have the same sum of squares as latitude and longitude.
        let radius = radius(latitude, longitude) ?? radius(major, minor)
        return .accuracy(AccuracyReport(kind: .standardDeviation, time: time, radiusMeters: radius))
    }

    /// GBS, 9-11 fields: time, expected errors of latitude, longitude and altitude (1 sigma,
    /// metres), the likeliest failed satellite with its probability, bias and deviation, system, signal.
    static func integrity(_ fields: inout FieldCursor) -> Sentence {
        let time = fields.timeOfDay()
        let latitude = fields.number()
        let longitude = fields.number()
        _ = fields.number()
        _ = fields.integer()
        _ = fields.number()
        _ = fields.signedNumber()
        _ = fields.number()
        if fields.hasField { _ = fields.hexDigit() }
        if fields.hasField { _ = fields.hexDigit() }
        guard fields.isComplete else { return .malformed }
        return .accuracy(
            AccuracyReport(
                kind: .integrity, time: time, radiusMeters: radius(latitude, longitude)))
    }

    /// PUBX,00, 15-21 fields: time, position, altitude, status, horizontal and vertical accuracy,
    /// speed, course, vertical speed, age of corrections, HDOP, VDOP, TDOP, satellites, reserved,
    /// dead reckoning. Only the accuracy is taken.
    static func ubloxPosition(_ fields: inout FieldCursor) -> Sentence {
        let message = fields.text()
        guard message.count == 2, message[0] == Byte.zero, message[1] == Byte.zero else {
            return .other
        }
        let time = fields.timeOfDay()
        let wasMalformed = fields.isMalformed
        _ = fields.coordinate()
        _ = fields.signedNumber()
        let isPositionMalformed = fields.isMalformed
        let status = fields.text()
        let isVoid = status.count == 2 && status[0] == UInt8(ascii: "N")
        fields.isMalformed = isVoid ? wasMalformed : isPositionMalformed
        let accuracy = fields.number()
        _ = fields.number()
        _ = fields.number()
        _ = fields.number()
        _ = fields.signedNumber()
        _ = fields.number()
        fields.skipNumbers(6)
        guard fields.isComplete else { return .malformed }
        return .accuracy(
            AccuracyReport(
                kind: .receiver, time: time,
                radiusMeters: isVoid ? nil : accuracy.flatMap { $0 > 0 ? $0 : nil }))
    }

    /// PGRME, 7 fields: horizontal, vertical and total error, each followed by M.
    static func garminError(_ fields: inout FieldCursor) -> Sentence {
        let horizontal = fields.number()
        fields.expect(Letter.meters)
        _ = fields.number()
        fields.expect(Letter.meters)
        _ = fields.number()
        fields.expect(Letter.meters)
        guard fields.isComplete else { return .malformed }
        return .estimatedError(horizontal.flatMap { $0 > 0 ? $0 : nil })
    }

    private static func radius(_ first: Double?, _ second: Double?) -> Double? {
        guard let first, let second else { return nil }
        let squares = first * first + second * second
        return squares > 0 ? squares.squareRoot() * radiusPerStandardDeviation : nil
    }
}
