import Positioning

/// What GST, GBS and PUBX,00 say about the error of the epoch of their own time.
struct AccuracyReport {
    enum Source {
        /// PUBX,00
        case receiver
        /// GST
        case standardDeviations
        /// GBS
        case integrity
    }

    let source: Source
    private(set) var time: TimeOfDay?
    /// Horizontal radius that holds 68 %, metres, positive; nil where the receiver left it out.
    private(set) var radiusMeters: Double?

    init(from source: Source) {
        self.source = source
    }

    /// False where the sentence is malformed.
    mutating func read(_ fields: inout FieldCursor) -> Bool {
        switch source {
        case .receiver: readUbloxPosition(&fields)
        case .standardDeviations: readStandardDeviations(&fields)
        case .integrity: readIntegrity(&fields)
        }
    }

    /// GST, 9 fields: time, RMS of the ranges, error ellipse (axes, orientation), standard
    /// deviations of latitude, longitude and altitude, all in metres.
    private mutating func readStandardDeviations(_ fields: inout FieldCursor) -> Bool {
        time = fields.timeOfDay()
        _ = fields.number()
        let major = fields.number()
        let minor = fields.number()
        // Skytraq sends orientations below 0.
        _ = fields.signedNumber()
        let latitude = fields.number()
        let longitude = fields.number()
        _ = fields.number()
        // The axes of the ellipse have the same sum of squares as latitude and longitude.
        radiusMeters = Self.radius(latitude, longitude) ?? Self.radius(major, minor)
        return fields.isComplete
    }

    /// GBS, 9-11 fields: time, expected errors of latitude, longitude and altitude (1 sigma,
    /// metres), the likeliest failed satellite with its probability, bias and deviation, system, signal.
    private mutating func readIntegrity(_ fields: inout FieldCursor) -> Bool {
        time = fields.timeOfDay()
        let latitude = fields.number()
        let longitude = fields.number()
        _ = fields.number()
        _ = fields.integer()
        _ = fields.number()
        _ = fields.signedNumber()
        _ = fields.number()
        if fields.hasField { _ = fields.hexDigit() }
        if fields.hasField { _ = fields.hexDigit() }
        radiusMeters = Self.radius(latitude, longitude)
        return fields.isComplete
    }

    /// PUBX,00, 15-21 fields, "00" taken: time, position, altitude, status, horizontal and vertical
    /// accuracy, speed, course, vertical speed, age of corrections, HDOP, VDOP, TDOP, satellites,
    /// reserved, dead reckoning. Only the accuracy is used.
    private mutating func readUbloxPosition(_ fields: inout FieldCursor) -> Bool {
        time = fields.timeOfDay()
        let wasMalformed = fields.isMalformed
        _ = fields.coordinate()
        _ = fields.signedNumber()
        let status = fields.text()
        let isVoid = status.count == 2 && status[0] == Letter.noFix
        if isVoid { fields.isMalformed = wasMalformed }
        let accuracy = fields.number()
        _ = fields.number()
        _ = fields.number()
        _ = fields.number()
        _ = fields.signedNumber()
        _ = fields.number()
        fields.skipNumbers(6)
        if let accuracy, accuracy > 0, !isVoid { radiusMeters = accuracy }
        return fields.isComplete
    }

    private static func radius(_ first: Double?, _ second: Double?) -> Double? {
        guard let first, let second else { return nil }
        return HorizontalAccuracy.standardDeviations(first, second)?.meters
    }
}
