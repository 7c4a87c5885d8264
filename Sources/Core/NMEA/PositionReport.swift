import Geodesy
import Timekeeping

/// What RMC, GGA, GNS and GLL have in common: the sentences that open an epoch.
struct PositionReport {
    private(set) var time: TimeOfDay?
    /// The date of RMC.
    private(set) var date: CalendarDate?
    /// Whether its flags say that there is no fix; then the coordinates were not read.
    private(set) var isVoid = false
    /// Nil in a void sentence, and where a part of it is empty or a filler.
    private(set) var coordinate: Coordinate?
    /// Field 6 of GGA.
    private(set) var qualityNumber: UInt8?
    private(set) var mode: FAAMode?
    private(set) var altitudeMeters: Double?
    /// Metres per second.
    private(set) var speed: Double?
    /// Degrees true.
    private(set) var course: Double?
    private(set) var hdop: Double?
    private(set) var satellitesUsed: Int?

    /// Positions so near to 0 N 0 E are the zeros of a receiver, not of the sea off Ghana.
    private static let nullIslandDegrees = 1e-4

    var isNullIsland: Bool {
        guard let coordinate else { return false }
        return abs(coordinate.latitude) < Self.nullIslandDegrees
            && abs(coordinate.longitude) < Self.nullIslandDegrees
    }
}

/// The four ways to read one. Field counts include the address; each is false where the sentence is
/// malformed.
extension PositionReport {
    @inline(__always)
    mutating func read(_ kind: SentenceKind, _ fields: inout FieldCursor) -> Bool {
        switch kind {
        case .rmc: readRMC(&fields)
        case .gga: readGGA(&fields)
        case .gll: readGLL(&fields)
        case .gns: readGNS(&fields)
        default: false
        }
    }

    /// RMC, 12-14 fields: time, status, position, knots, course, date, variation, E or W, FAA mode,
    /// navigational status. The last is ignored: most receivers say V there with good fixes.
    @inline(__always)
    private mutating func readRMC(_ fields: inout FieldCursor) -> Bool {
        time = fields.timeOfDay()
        let status = fields.letter()
        let isPositionMalformed = readPosition(&fields)
        speed = fields.number().map { $0 * Velocity.knot }
        course = fields.number()
        date = fields.shortDate()
        _ = fields.number()
        _ = fields.letter()
        if fields.hasField { mode = fields.letter().map(FAAMode.init(letter:)) }
        if fields.hasField { _ = fields.letter() }
        isVoid = status != Letter.active || mode == .invalid
        return finish(&fields, isPositionMalformed)
    }

    /// GGA, 14-16 fields: time, position, quality, satellites, HDOP, altitude, M, separation, M, age
    /// and station of the corrections.
    @inline(__always)
    private mutating func readGGA(_ fields: inout FieldCursor) -> Bool {
        time = fields.timeOfDay()
        let isPositionMalformed = readPosition(&fields)
        let quality = fields.integer(maximumDigits: 1)
        qualityNumber = quality.map { UInt8(truncatingIfNeeded: $0) }
        satellitesUsed = fields.integer(maximumDigits: 3)
        hdop = fields.dilution()
        altitudeMeters = fields.signedNumber()
        fields.expect(Letter.meters)
        _ = fields.signedNumber()
        fields.expect(Letter.meters)
        _ = fields.number()
        if fields.hasField { fields.word() }
        if fields.hasField { fields.skip() }
        isVoid = quality == nil || quality == 0
        return finish(&fields, isPositionMalformed)
    }

    /// GNS, 13-14 fields: time, position, a mode letter per system, satellites, HDOP, altitude,
    /// separation, age and station of the corrections, navigational status.
    private mutating func readGNS(_ fields: inout FieldCursor) -> Bool {
        time = fields.timeOfDay()
        let isPositionMalformed = readPosition(&fields)
        mode = Self.multiSystemMode(fields.text())
        satellitesUsed = fields.integer(maximumDigits: 3)
        hdop = fields.dilution()
        altitudeMeters = fields.signedNumber()
        _ = fields.signedNumber()
        _ = fields.number()
        fields.word()
        if fields.hasField { _ = fields.letter() }
        isVoid = mode == .invalid
        return finish(&fields, isPositionMalformed)
    }

    /// GLL, 7-8 fields: position, time, status, FAA mode.
    @inline(__always)
    private mutating func readGLL(_ fields: inout FieldCursor) -> Bool {
        let isPositionMalformed = readPosition(&fields)
        time = fields.timeOfDay()
        let status = fields.letter()
        if fields.hasField { mode = fields.letter().map(FAAMode.init(letter:)) }
        isVoid = status != Letter.active || mode == .invalid
        return finish(&fields, isPositionMalformed)
    }

    /// Reads the position before it is known whether the sentence is void; true where it is malformed.
    @inline(__always)
    private mutating func readPosition(_ fields: inout FieldCursor) -> Bool {
        let wasMalformed = fields.isMalformed
        fields.isMalformed = false
        coordinate = fields.coordinate()
        let isPositionMalformed = fields.isMalformed
        fields.isMalformed = wasMalformed
        return isPositionMalformed
    }

    @inline(__always)
    private mutating func finish(
        _ fields: inout FieldCursor, _ isPositionMalformed: Bool
    ) -> Bool {
        if isVoid { coordinate = nil }
        return fields.isComplete && (isVoid || !isPositionMalformed)
    }

    /// The best letter of the systems; an unknown letter is as bad as none. Nil where the field is
    /// empty, as in the GNS of a single system that stands beside the GNS of all (Trimble R2).
    private static func multiSystemMode(_ letters: UnsafeBufferPointer<UInt8>) -> FAAMode? {
        guard !letters.isEmpty else { return nil }
        var best = FAAMode.invalid
        for letter in letters where letter != Letter.noFix {
            let mode = FAAMode(letter: letter)
            guard mode != .invalid else { return .invalid }
            best = max(best, mode)
        }
        return best
    }
}
