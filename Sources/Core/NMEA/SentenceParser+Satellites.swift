/// GSA and GSV.
extension SentenceParser {
    /// GSA, 3-30 fields: A or M, mode, up to 12 satellites, PDOP, HDOP, VDOP, system (NMEA 4.1).
    ///
    /// In one of another length the satellites end at the first number with decimals, PDOP.
    @inline(__always)
    static func satellitesUsed(_ fields: inout FieldCursor, _ tag: inout SentenceTag) -> Sentence {
        var result = ActiveSatellites()
        _ = fields.letter()
        result.mode = fields.integer(maximumDigits: 1)
        var count = 3
        var dilutions = 0
        while fields.hasField, count < maximumActiveSatelliteFields {
            count &+= 1
            if count == 19 {
                result.system = fields.hexDigit() ?? 0
                continue
            }
            guard let number = fields.decimal() else { continue }
            if count > 15 || number.scale > 0 {
                dilutions &+= 1
                if count == 17 || count < 15 && dilutions == 2 {
                    result.hdop = FieldCursor.dilution(number)
                }
            } else if number.digits > 0 {
                result.satellites.insert(Int(number.digits))
            }
        }
        guard fields.isComplete else { return .malformed }
        tag.detail = UInt32(result.system)
        return .satellitesUsed(result)
    }

    /// GSV, 4-21 fields: number of parts, part, satellites in view, then up to four times number,
    /// elevation, azimuth and signal, then the signal id (NMEA 4.1).
    @inline(__always)
    static func satellitesInView(_ fields: inout FieldCursor, _ tag: inout SentenceTag) -> Sentence
    {
        let parts = fields.integer(maximumDigits: 2)
        let part = fields.integer(maximumDigits: 2)
        let count = fields.integer(maximumDigits: 3)
        var best = 0
        var signal = 0
        var satellites = 0
        while fields.hasField, satellites < 4, !fields.isAtShortLastField {
            satellites &+= 1
            fields.skipNumbers(3)
            if fields.hasField, let strength = fields.decimal() {
                best = max(best, Int(truncatingIfNeeded: strength.whole))
            }
        }
        if fields.hasField { signal = fields.hexDigit() ?? 0 }
        guard fields.isComplete else { return .malformed }
        let isLastPart = part == parts
        tag.detail = UInt32(signal) << 1 | (isLastPart ? 1 : 0)
        return .satellitesInView(
            SatellitesInView(
                talker: UInt16(truncatingIfNeeded: tag.characters >> 24), isFirstPart: part == 1,
                isLastPart: isLastPart, signal: UInt8(signal), count: count ?? 0,
                bestSignal: best > 0 ? best : nil))
    }

    private static let maximumActiveSatelliteFields = 30
}
