import Geodesy

/// The four sentences that give the own position. Field counts include the address.
extension SentenceParser {
    /// RMC, 12-14 fields: time, status, position, knots, course, date, variation, E or W, FAA mode,
    /// navigational status. The last is ignored: most receivers say V there with good fixes.
    @inline(__always)
    static func recommendedMinimum(_ fields: inout FieldCursor) -> Sentence {
        var report = PositionReport()
        report.time = fields.timeOfDay()
        let status = fields.letter()
        let position = readPosition(&fields)
        report.speed = fields.number().map { $0 * metersPerSecondPerKnot }
        report.course = fields.number()
        report.date = fields.shortDate()
        _ = fields.number()
        _ = fields.letter()
        if fields.hasField { report.mode = fields.letter().map(FAAMode.init(letter:)) }
        if fields.hasField { _ = fields.letter() }
        return finish(
            &fields, report, position,
            isVoid: status != Letter.active || report.mode == .invalid)
    }

    /// GGA, 14-16 fields: time, position, quality, satellites, HDOP, altitude, M, separation, M, age
    /// and station of the corrections.
    @inline(__always)
    static func fixData(_ fields: inout FieldCursor) -> Sentence {
        var report = PositionReport()
        report.time = fields.timeOfDay()
        let position = readPosition(&fields)
        let quality = fields.integer(maximumDigits: 1)
        report.qualityNumber = quality.map { UInt8(truncatingIfNeeded: $0) }
        report.satellitesUsed = fields.integer(maximumDigits: 3)
        report.hdop = fields.dilution()
        report.altitudeMeters = fields.signedNumber()
        fields.expect(Letter.meters)
        _ = fields.signedNumber()
        fields.expect(Letter.meters)
        _ = fields.number()
        if fields.hasField { fields.word() }
        if fields.hasField { fields.skip() }
        return finish(&fields, report, position, isVoid: quality == nil || quality == 0)
    }

    /// GNS, 13-14 fields: time, position, a mode letter per system, satellites, HDOP, altitude,
    /// separation, age and station of the corrections, navigational status.
    static func multiSystemFixData(_ fields: inout FieldCursor) -> Sentence {
        var report = PositionReport()
        report.time = fields.timeOfDay()
        let position = readPosition(&fields)
        report.mode = multiSystemMode(fields.text())
        report.satellitesUsed = fields.integer(maximumDigits: 3)
        report.hdop = fields.dilution()
        report.altitudeMeters = fields.signedNumber()
        _ = fields.signedNumber()
        _ = fields.number()
        fields.word()
        if fields.hasField { _ = fields.letter() }
        return finish(&fields, report, position, isVoid: report.mode == .invalid)
    }

    /// GLL, 7-8 fields: position, time, status, FAA mode.
    @inline(__always)
    static func geographicPosition(_ fields: inout FieldCursor) -> Sentence {
        var report = PositionReport()
        let position = readPosition(&fields)
        report.time = fields.timeOfDay()
        let status = fields.letter()
        if fields.hasField { report.mode = fields.letter().map(FAAMode.init(letter:)) }
        return finish(
            &fields, report, position,
            isVoid: status != Letter.active || report.mode == .invalid)
    }

    private static let metersPerSecondPerKnot = 1852.0 / 3600

    /// The coordinates as read, and whether they may be: whether the sentence is void is not known
    /// yet where its flags come later.
    private struct ReadPosition {
        var coordinate: Coordinate?
        var isMalformed: Bool
    }

    @inline(__always)
    private static func readPosition(_ fields: inout FieldCursor) -> ReadPosition {
        let wasMalformed = fields.isMalformed
        fields.isMalformed = false
        let coordinate = fields.coordinate()
        let position = ReadPosition(coordinate: coordinate, isMalformed: fields.isMalformed)
        fields.isMalformed = wasMalformed
        return position
    }

    @inline(__always)
    private static func finish(
        _ fields: inout FieldCursor, _ report: PositionReport, _ position: ReadPosition,
        isVoid: Bool
    ) -> Sentence {
        guard fields.isComplete, isVoid || !position.isMalformed else { return .malformed }
        var report = report
        report.isVoid = isVoid
        report.coordinate = isVoid ? nil : position.coordinate
        return .position(report)
    }

    /// The best letter of the systems; an unknown letter is as bad as none. Nil where the field is
    /// empty, as in the GNS of a single system that stands beside the GNS of all (Trimble R2).
    private static func multiSystemMode(_ letters: UnsafeBufferPointer<UInt8>) -> FAAMode? {
        guard !letters.isEmpty else { return nil }
        var best = FAAMode.invalid
        for letter in letters where letter != UInt8(ascii: "N") {
            let mode = FAAMode(letter: letter)
            guard mode != .invalid else { return .invalid }
            best = max(best, mode)
        }
        return best
    }
}
