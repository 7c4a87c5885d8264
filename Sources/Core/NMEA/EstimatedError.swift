/// PGRME: what a Garmin receiver estimates of its error.
struct EstimatedError {
    /// Horizontal radius that holds 68 %, metres, positive; nil where it is empty or 0.
    private(set) var radiusMeters: Double?

    /// From the 50 % radius that PGRME gives to one of 68 %.
    private static let radius68PerRadius50 = 1.28

    /// Reads PGRME, 7 fields: horizontal, vertical and total error, each followed by M. False where
    /// it is malformed.
    mutating func read(_ fields: inout FieldCursor) -> Bool {
        let horizontal = fields.number()
        fields.expect(Letter.meters)
        _ = fields.number()
        fields.expect(Letter.meters)
        _ = fields.number()
        fields.expect(Letter.meters)
        if let horizontal, horizontal > 0 { radiusMeters = horizontal * Self.radius68PerRadius50 }
        return fields.isComplete
    }
}
