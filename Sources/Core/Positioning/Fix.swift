import Geodesy
import Timekeeping

/// What a receiver said about one epoch, exactly one value per epoch, with or without a position.
///
/// Every field that a receiver may omit is optional: nil means "not said", never 0 or NaN.
public struct Fix: Hashable, Sendable {
    /// Nil exactly when `dimension` is `.none`.
    public var coordinate: Coordinate?
    /// Nil when the epoch has no time of day, or no date is known for it.
    public var time: UTCTime?
    /// Whether `time` passed the trust rules of the time resolver.
    public var isTimeTrusted: Bool
    /// When the bytes arrived, on CLOCK_BOOTTIME.
    public var uptime: Uptime
    /// Nil when the receiver gave nothing from which to estimate it.
    public var horizontalAccuracy: HorizontalAccuracy?
    /// Metres above mean sea level.
    public var altitudeMeters: Double?
    /// Metres per second over ground, not negative.
    public var speed: Double?
    /// Degrees clockwise from true north, 0 ..< 360; nil below 0.5 m/s.
    public var course: Double?
    /// Horizontal dilution of precision, positive.
    public var hdop: Double?
    public var satellitesUsed: Int?
    public var satellitesInView: Int?
    /// Carrier-to-noise density of the strongest satellite, dB-Hz.
    public var bestSignal: Int?
    public var dimension: Dimension
    public var quality: Quality
    public var source: FixOrigin
    public var integrityFlags: IntegrityFlags

    public init(
        coordinate: Coordinate? = nil, time: UTCTime? = nil, isTimeTrusted: Bool = false,
        uptime: Uptime, horizontalAccuracy: HorizontalAccuracy? = nil,
        altitudeMeters: Double? = nil, speed: Double? = nil, course: Double? = nil,
        hdop: Double? = nil, satellitesUsed: Int? = nil, satellitesInView: Int? = nil,
        bestSignal: Int? = nil, dimension: Dimension = .none, quality: Quality = .none,
        source: FixOrigin, integrityFlags: IntegrityFlags = []
    ) {
        self.coordinate = coordinate
        self.time = time
        self.isTimeTrusted = isTimeTrusted
        self.uptime = uptime
        self.horizontalAccuracy = horizontalAccuracy
        self.altitudeMeters = altitudeMeters
        self.speed = speed
        self.course = course
        self.hdop = hdop
        self.satellitesUsed = satellitesUsed
        self.satellitesInView = satellitesInView
        self.bestSignal = bestSignal
        self.dimension = dimension
        self.quality = quality
        self.source = source
        self.integrityFlags = integrityFlags
    }
}
