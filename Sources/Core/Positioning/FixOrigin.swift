/// Which kind of source a fix came from; the raw value is `position.source` on the wire.
public enum FixOrigin: String, Hashable, Sendable {
    case nmea
    case gpsd
    /// A `fix` record of a recording, or a track file.
    case recording
    /// The configured position of a kiosk without sky.
    case fixed
}
