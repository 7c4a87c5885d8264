import Timekeeping

/// A sentence that says something about the own position, taken apart.
enum Sentence {
    /// RMC, GGA, GNS, GLL: opens an epoch.
    case position(PositionReport)
    /// VTG.
    case velocity(speed: Double?, course: Double?)
    /// GSA.
    case satellitesUsed(ActiveSatellites)
    /// GSV.
    case satellitesInView(SatellitesInView)
    /// GST, GBS, PUBX,00: horizontal 68 % radius in metres of the epoch of that time.
    case accuracy(AccuracyReport)
    /// PGRME: the horizontal 50 % radius in metres.
    case estimatedError(Double?)
    /// ZDA.
    case date(TimeOfDay?, CalendarDate?)
    /// A type that says nothing about the own position.
    case other
    /// A field, or the number of fields, broke its rule.
    case malformed
}

/// GSA: the satellites used, and the kind of fix.
struct ActiveSatellites {
    /// 1 none, 2 2D, 3 3D; nil where empty.
    var mode: Int?
    var satellites = SatelliteSet()
    /// 0 where GSA does not name its system.
    var system = 0
    var hdop: Double?
}

/// GSV: one part of the list of satellites in view of one talker.
struct SatellitesInView {
    /// The two letters of the talker.
    var talker: UInt16
    /// Whether this is the first, and the last, of its parts.
    var isFirstPart: Bool
    var isLastPart: Bool
    /// NMEA 4.1 signal id; 0 where there is none.
    var signal: UInt8
    /// Of the talker, over all parts.
    var count: Int
    /// The strongest signal of this part, dB-Hz.
    var bestSignal: Int?
}

/// What GST, GBS and PUBX,00 say about the error of the epoch of their own time.
struct AccuracyReport {
    enum Kind: UInt8 {
        case receiver, standardDeviation, integrity
    }
    var kind: Kind
    var time: TimeOfDay?
    /// Radius that holds 68 %, metres, positive; nil where the receiver left it out.
    var radiusMeters: Double?
}
