import FieldTools
import NMEA
import WireFormat

/// What was made of a log, by the layers that its form has.
enum LogCounters {
    case nmea(NMEACounters)
    case gpsd(GPSDCounters)
    /// Of a form without sentences: CSV, GPX, a recording.
    case track(TrackCounters)
}
