import Geodesy
import Timekeeping

/// What RMC, GGA, GNS and GLL have in common: the sentences that open an epoch.
struct PositionReport {
    /// Talker and type, packed; see `SentenceTag`.
    var tag = SentenceTag()
    var time: TimeOfDay?
    /// The date of RMC.
    var date: CalendarDate?
    /// Whether its flags say that there is no fix; then the coordinates were not read.
    var isVoid = false
    /// Nil in a void sentence, and where a part of it is empty or a filler.
    var coordinate: Coordinate?
    /// Field 6 of GGA.
    var qualityNumber: UInt8?
    var mode: FAAMode?
    var altitudeMeters: Double?
    /// Metres per second.
    var speed: Double?
    /// Degrees true.
    var course: Double?
    var hdop: Double?
    var satellitesUsed: Int?
}
