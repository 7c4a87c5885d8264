import Timekeeping

/// Gives each epoch its UTC time on a machine that may have no clock, and says whether to trust it.
///
/// Invariants:
/// - A date comes from the epoch itself, or it is the one nearest to where the time must be by now;
///   never the last date seen with a new time of day.
/// - What a cold-start date led to is never trusted.
/// - In a recording the uptime says nothing; the time then counts as advancing rightly while it
///   goes forward by less than `Limits.maximumRecordedGapMilliseconds`.
public struct TimeResolver: Sendable {
    /// What the resolver's rules measure with.
    public enum Limits {
        /// Epochs in a row whose advance must equal that of the uptime.
        public static let epochsUntilTrusted = 3
        public static let toleranceMilliseconds: Int64 = 200
        /// Of the uptime elapsed, as a divisor: 20 %.
        public static let toleranceDivisor: Int64 = 5
        /// A greater disagreement with the uptime drops trust.
        public static let maximumJumpMilliseconds: Int64 = 2000
        /// A smaller step back is tolerated and flagged.
        public static let maximumBackwardMilliseconds: Int64 = 5000
        public static let maximumRecordedGapMilliseconds: Int64 = 3_600_000
    }

    /// The earliest date that can be true; nil for recordings.
    public let floor: CalendarDate?
    /// Whether uptimes say nothing, as in a log file.
    public let isRecording: Bool
    /// The last time that was trusted, and the uptime at which it was.
    public private(set) var lastTrusted: TrustedTime?
    public private(set) var counts = TimeResolverCounts()

    /// The last epoch with a time.
    private var last: TrustedTime?
    /// Whether `last` descends from a date that may be true.
    private var isLastPlausible = false
    private var isTrusted = false
    private var agreeingEpochs = 0

    /// - Parameter lastTrusted: of this boot; nil where none is known. Trust goes on from it: the
    ///   uptime spans the time in which the program or the receiver was away, so an epoch that
    ///   follows it without a jump is as good as one that follows the epoch before.
    public init(
        floor: CalendarDate? = nil, isRecording: Bool = false, lastTrusted: TrustedTime? = nil
    ) {
        self.floor = floor
        self.isRecording = isRecording
        self.lastTrusted = lastTrusted
        isTrusted = lastTrusted != nil && !isRecording
    }

    /// The time of an NMEA epoch.
    /// - Parameters:
    ///   - milliseconds: time of day; nil where the epoch has none.
    ///   - dated: an instant within 12 h of the epoch, from its own date (RMC, ZDA).
    ///   - isValid: whether the epoch has a fix; only those build trust.
    public mutating func resolve(
        timeOfDay milliseconds: Int64?, dated: UTCTime?, isValid: Bool, at uptime: Uptime
    ) -> ResolvedTime {
        guard let milliseconds else { return undated() }
        guard let dated else {
            guard let reference = reference(at: uptime) else { return undated() }
            let time = Self.nearest(timeOfDay: milliseconds, to: reference)
            return settle(time, isPlausible: isReferencePlausible, [], isValid, uptime)
        }
        return settle(
            ownDate: Self.nearest(timeOfDay: milliseconds, to: dated), isValid, uptime)
    }

    /// The time of an epoch that came with one, as gpsd reports it.
    ///
    /// While a time is trusted, one that is off by whole days (to within 2 s) is taken for the same
    /// time of the expected day: gpsd 3.26 and later jump back 24 h at midnight where ZDA is rare.
    public mutating func resolve(
        reported time: UTCTime, isValid: Bool, at uptime: Uptime
    ) -> ResolvedTime {
        if isTrusted, let reference = reference(at: uptime) {
            let nearest = Self.nearest(timeOfDay: time.millisecondsOfDay, to: reference)
            let distance = nearest.milliseconds(since: time).magnitude
            if distance == UTCTime.millisecondsPerDay.magnitude,
                nearest.milliseconds(since: reference).magnitude
                    <= Limits.maximumJumpMilliseconds.magnitude
            {
                return settle(nearest, isPlausible: true, [], isValid, uptime)
            }
        }
        return settle(ownDate: time, isValid, uptime)
    }

    /// Takes a dated instant that belongs to no epoch, from a ZDA between two: the day of dateless
    /// epochs is found from it while nothing else is known.
    public mutating func suggest(_ instant: UTCTime, at uptime: Uptime) {
        guard reference(at: uptime) == nil,
            WeekRollover.judge(instant, floor: floor) == .kept
        else { return }
        last = TrustedTime(time: instant, uptime: uptime)
        isLastPlausible = true
    }

    private mutating func undated() -> ResolvedTime {
        counts.undated &+= 1
        return ResolvedTime()
    }

    /// Where the time must be by now.
    private func reference(at uptime: Uptime) -> UTCTime? {
        if isRecording { return last?.time ?? lastTrusted?.time }
        return (lastTrusted ?? last)?.time(at: uptime)
    }

    private var isReferencePlausible: Bool {
        isRecording ? (last == nil || isLastPlausible) : (lastTrusted != nil || isLastPlausible)
    }

    private mutating func settle(
        ownDate time: UTCTime, _ isValid: Bool, _ uptime: Uptime
    ) -> ResolvedTime {
        switch WeekRollover.judge(time, floor: floor) {
        case .kept: return settle(time, isPlausible: true, [], isValid, uptime)
        case .moved(let days):
            counts.rollovers &+= 1
            let moved = time.advanced(byMilliseconds: days * UTCTime.millisecondsPerDay)
            return settle(moved, isPlausible: true, .weekRollover, isValid, uptime)
        case .refused:
            counts.refusedDates &+= 1
            return settle(time, isPlausible: false, [], isValid, uptime)
        }
    }

    /// Compares the epoch with the one before it and moves the state on.
    private mutating func settle(
        _ time: UTCTime, isPlausible: Bool, _ flags: IntegrityFlags, _ isValid: Bool,
        _ uptime: Uptime
    ) -> ResolvedTime {
        var flags = flags
        let step = step(to: time, at: uptime)
        if step.isBackward {
            flags.insert(.timeStep)
            counts.backwardSteps &+= 1
        }
        if step.isJump { counts.jumps &+= 1 }
        if !isPlausible || step.isJump {
            isTrusted = false
            agreeingEpochs = 0
        } else if isValid {
            agreeingEpochs = step.agrees ? min(agreeingEpochs + 1, Limits.epochsUntilTrusted) : 0
            if agreeingEpochs >= Limits.epochsUntilTrusted { isTrusted = true }
        }
        let now = TrustedTime(time: time, uptime: uptime)
        last = now
        isLastPlausible = isPlausible
        if isTrusted {
            lastTrusted = now
            counts.trusted &+= 1
        } else {
            counts.untrusted &+= 1
        }
        return ResolvedTime(time: time, isTrusted: isTrusted, flags: flags)
    }

    /// How an epoch follows the one before.
    private struct Step {
        var agrees = false
        var isJump = false
        var isBackward = false
    }

    private func step(to time: UTCTime, at uptime: Uptime) -> Step {
        guard let before = last ?? lastTrusted else { return Step() }
        let advance = time.milliseconds(since: before.time)
        let isBackward = advance < 0 && advance >= -Limits.maximumBackwardMilliseconds
        if isRecording {
            let agrees = advance > 0 && advance < Limits.maximumRecordedGapMilliseconds
            return Step(agrees: agrees, isJump: !agrees && !isBackward, isBackward: isBackward)
        }
        let elapsed = max(0, uptime.milliseconds &- before.uptime.milliseconds)
        let difference = time.milliseconds(since: before.time(at: uptime)).magnitude
        let tolerance = max(Limits.toleranceMilliseconds, elapsed / Limits.toleranceDivisor)
        let isJump = difference > Limits.maximumJumpMilliseconds.magnitude && !isBackward
        return Step(
            agrees: !isBackward && !isJump && difference <= tolerance.magnitude, isJump: isJump,
            isBackward: isBackward)
    }

    /// The instant with this time of day that is nearest to another instant.
    private static func nearest(timeOfDay milliseconds: Int64, to instant: UTCTime) -> UTCTime {
        let day = UTCTime.millisecondsPerDay
        var difference = (milliseconds - instant.millisecondsOfDay) % day
        if difference > day / 2 { difference -= day }
        if difference < -day / 2 { difference += day }
        return instant.advanced(byMilliseconds: difference)
    }
}
