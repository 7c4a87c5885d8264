/// GSV: one part of the list of satellites in view of one talker.
struct SatellitesInView {
    /// The two letters of the talker.
    private(set) var talker: UInt16 = 0
    /// Whether this is the first, and the last, of its parts.
    private(set) var isFirstPart = false
    private(set) var isLastPart = false
    /// NMEA 4.1 signal id; 0 where there is none.
    private(set) var signal = 0
    /// Of the talker, over all parts.
    private(set) var count = 0
    /// The strongest signal of this part, dB-Hz; 0 where there is none.
    private(set) var bestSignal = 0

    private static let satellitesPerPart = 4

    /// Reads GSV, 4-21 fields: number of parts, part, satellites in view, then up to four times
    /// number, elevation, azimuth and signal, then the signal id (NMEA 4.1). False where it is malformed.
    @inline(__always)
    mutating func read(_ fields: inout FieldCursor, _ tag: SentenceTag) -> Bool {
        let parts = fields.integer(maximumDigits: 2)
        let part = fields.integer(maximumDigits: 2)
        count = fields.integer(maximumDigits: 3) ?? 0
        var satellites = 0
        while satellites < Self.satellitesPerPart, !fields.isAtShortLastField {
            satellites &+= 1
            fields.skipNumbers(3)
            if fields.hasField, let strength = fields.decimal() {
                bestSignal = max(bestSignal, Int(truncatingIfNeeded: strength.whole))
            }
        }
        if fields.hasField { signal = fields.hexDigit() ?? 0 }
        talker = UInt16(truncatingIfNeeded: tag.characters >> 24)
        isFirstPart = part == 1
        isLastPart = part == parts
        return fields.isComplete
    }

    /// What tells this list from the talker's others, and its end from its beginning.
    var detail: UInt32 {
        UInt32(truncatingIfNeeded: signal) << 1 | (isLastPart ? 1 : 0)
    }
}
