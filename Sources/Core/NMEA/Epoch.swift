import Geodesy
import Positioning
import Timekeeping

/// What the sentences of one receiver epoch have said so far.
///
/// Sentences that found no open epoch gather here as well, for the one that opens next.
struct Epoch {
    /// Nil in an epoch of sentences without time.
    var time: TimeOfDay?
    /// When its first position sentence arrived.
    var openedAt = Uptime(milliseconds: 0)
    /// An instant that RMC or ZDA dated, within seconds of the epoch.
    var dated: UTCTime?

    private(set) var isVoid = false
    /// Of the last sentence that had one.
    private(set) var coordinate: Coordinate?
    private(set) var altitudeMeters: Double?
    private(set) var qualityNumber: UInt8?
    private(set) var mode: FAAMode?
    private(set) var speed: Double?
    private(set) var course: Double?
    private(set) var velocitySpeed: Double?
    private(set) var velocityCourse: Double?

    private(set) var hdop: Double?
    private(set) var activeHDOP: Double?
    private(set) var reportedSatellites: Int?
    private(set) var greatestMode: Int?
    private(set) var used = UsedSatellites()
    private(set) var inView = InViewSummary()

    private(set) var receiverRadius: Double?
    private(set) var garminRadius: Double?
    private(set) var deviationRadius: Double?
    private(set) var integrityRadius: Double?

    @inline(__always)
    mutating func add(_ report: PositionReport) {
        if report.isVoid { isVoid = true }
        if let position = report.coordinate, !report.isNullIsland { coordinate = position }
        if let altitude = report.altitudeMeters { altitudeMeters = altitude }
        if let number = report.qualityNumber { qualityNumber = number }
        if let letter = report.mode { mode = max(mode ?? letter, letter) }
        if let value = report.speed { speed = value }
        if let value = report.course { course = value }
        if let value = report.hdop { hdop = value }
        if let count = report.satellitesUsed, count > 0 {
            reportedSatellites = max(reportedSatellites ?? count, count)
        }
        if let date = report.date, let time = report.time {
            dated = UTCTime(date, time)
        }
    }

    @inline(__always)
    mutating func add(_ velocity: Velocity) {
        if let speed = velocity.speed { velocitySpeed = speed }
        if let course = velocity.course { velocityCourse = course }
    }

    @inline(__always)
    mutating func add(_ active: ActiveSatellites) {
        if let mode = active.mode { greatestMode = max(greatestMode ?? mode, mode) }
        if let value = active.hdop { activeHDOP = value }
        used.formUnion(active)
    }

    @inline(__always)
    mutating func add(_ part: SatellitesInView) { inView.add(part) }

    mutating func add(_ report: AccuracyReport) {
        guard let radius = report.radiusMeters else { return }
        switch report.source {
        case .receiver: receiverRadius = radius
        case .standardDeviations: deviationRadius = radius
        case .integrity: integrityRadius = radius
        }
    }

    mutating func add(_ error: EstimatedError) {
        if let radius = error.radiusMeters { garminRadius = radius }
    }
}

extension UTCTime {
    /// The instant that a sentence's own date and time name.
    init(_ date: CalendarDate, _ time: TimeOfDay) {
        self.init(
            date: date,
            millisecondsOfDay: Int64(time.milliseconds)
                + (time.isLeapSecond ? Self.millisecondsPerDay : 0))
    }
}
