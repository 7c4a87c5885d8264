import NMEA
import WireFormat

/// What was made of a log, by the layers that its form has.
enum LogCounters {
    /// Of NMEA; forms without sentences count bytes, epochs and fixes.
    case nmea(NMEACounters)
    case gpsd(GPSDCounters)
}
