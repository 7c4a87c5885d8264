import Positioning
import Timekeeping

/// What gpsd reported about one epoch of one receiver.
struct GPSDEpoch: Sendable {
    /// Below this speed, in m/s, the course is noise.
    private static let minimumSpeedWithCourse = 0.5

    /// Of the last report; nil where none has one.
    private(set) var time: UTCTime?
    /// When the first report arrived.
    let openedAt: Uptime
    /// The most complete report.
    private(set) var position: GPSDPosition
    var errors: HorizontalAccuracy?

    init(_ position: GPSDPosition, at uptime: Uptime) {
        self.position = position
        time = position.time
        openedAt = uptime
    }

    /// Another report of the same epoch; of two that say as much the later one counts.
    mutating func add(_ other: GPSDPosition) {
        time = other.time ?? time
        if other.completeness >= position.completeness { position = other }
    }

    /// Everything of the epoch but its UTC time.
    func fix(_ sky: GPSDSkyState) -> Fix {
        var fix = Fix(uptime: openedAt, source: .gpsd)
        fix.hdop = sky.hdop
        fix.satellitesUsed = sky.satellitesUsed
        fix.satellitesInView = sky.satellitesInView
        fix.bestSignal = sky.bestSignal
        guard position.hasFix else { return fix }
        fix.coordinate = position.coordinate
        fix.quality = position.quality
        fix.dimension = position.mode >= 3 ? .threeDimensional : .twoDimensional
        fix.altitudeMeters = position.altitudeMeters
        fix.horizontalAccuracy = GPSDAccuracy.accuracy(
            errors: errors, eph: position.errorMeters, sky: sky, quality: position.quality)
        fix.speed = position.speed
        if let speed = fix.speed, speed >= Self.minimumSpeedWithCourse {
            fix.course = position.course
        }
        if position.quality == .simulated { fix.integrityFlags.insert(.simulated) }
        return fix
    }
}
