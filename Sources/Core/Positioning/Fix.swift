import Geodesy
import Timekeeping

/// What a receiver said about one epoch, exactly one value per epoch, with or without a position.
///
/// Every field that a receiver may omit is optional: nil means "not said", never 0 or NaN. Stored as
/// values and a set of those that are there, in half the bytes of as many optionals: a fix is copied
/// some ten times on its way through gate and tracker, which is what deciding about it costs.
public struct Fix: Hashable, Sendable {
    /// Nil exactly when `dimension` is `.none`.
    public var coordinate: Coordinate?
    @usableFromInline var present: UInt16 = 0
    @usableFromInline var storedTime: Int64 = 0
    @usableFromInline var storedAccuracy = 0.0
    @usableFromInline var storedAltitude = 0.0
    @usableFromInline var storedSpeed = 0.0
    @usableFromInline var storedCourse = 0.0
    @usableFromInline var storedHDOP = 0.0
    @usableFromInline var storedUsed: Int16 = 0
    @usableFromInline var storedInView: Int16 = 0
    @usableFromInline var storedSignal: Int16 = 0
    @usableFromInline var storedProvenance = HorizontalAccuracy.Provenance.configured
    /// Whether `time` passed the trust rules of the time resolver.
    public var isTimeTrusted: Bool
    /// When the bytes arrived, on CLOCK_BOOTTIME.
    public var uptime: Uptime
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
        self.isTimeTrusted = isTimeTrusted
        self.uptime = uptime
        self.dimension = dimension
        self.quality = quality
        self.source = source
        self.integrityFlags = integrityFlags
        self.coordinate = coordinate
        self.time = time
        self.horizontalAccuracy = horizontalAccuracy
        self.altitudeMeters = altitudeMeters
        self.speed = speed
        self.course = course
        self.hdop = hdop
        self.satellitesUsed = satellitesUsed
        self.satellitesInView = satellitesInView
        self.bestSignal = bestSignal
    }
}
