/// GSA: the satellites used, and the kind of fix.
struct ActiveSatellites {
    /// 1 none, 2 2D, 3 3D; nil where empty.
    private(set) var mode: Int?
    private(set) var satellites = SatelliteSet()
    /// 0 where GSA does not name its system.
    private(set) var system = 0
    private(set) var hdop: Double?

    private static let maximumFields = 30
    /// Where the three dilutions and the system stand in a GSA of the regular length, from 1 for
    /// the address.
    private static let regularDilutions = 16...18
    private static let systemPlace = 19

    /// Reads GSA, 3-30 fields: A or M, mode, up to 12 satellites, PDOP, HDOP, VDOP, system (NMEA
    /// 4.1). In one of another length the satellites end at the first number with decimals, PDOP.
    /// False where it is malformed.
    @inline(__always)
    mutating func read(_ fields: inout FieldCursor) -> Bool {
        _ = fields.letter()
        mode = fields.integer(maximumDigits: 1)
        var place = 3
        while place < Self.regularDilutions.lowerBound - 1, fields.hasField {
            place &+= 1
            guard !fields.takeEmpty() else { continue }
            guard !fields.isAtDecimals else { return readDilutions(&fields) }
            if let number = fields.integer(maximumDigits: 3), number > 0 {
                satellites.insert(number)
            }
        }
        guard fields.hasField else { return fields.isComplete }
        return readDilutions(&fields)
    }

    /// Reads what stands behind the satellites.
    @inline(__always)
    private mutating func readDilutions(_ fields: inout FieldCursor) -> Bool {
        _ = fields.decimal()
        if fields.hasField { hdop = fields.dilution() }
        if fields.hasField { _ = fields.decimal() }
        if fields.isAtDecimals {
            // A fourth dilution, as BeiDou receivers of 2015 send it.
            _ = fields.decimal()
        } else if fields.hasField {
            system = fields.hexDigit() ?? 0
        }
        var extra = Self.systemPlace
        while fields.hasField, extra < Self.maximumFields {
            extra &+= 1
            _ = fields.decimal()
        }
        return fields.isComplete
    }
}
