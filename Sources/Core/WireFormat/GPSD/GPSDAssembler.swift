import Positioning
import Timekeeping

/// Puts the reports of one epoch together, and gives exactly one `Fix` for each.
///
/// Invariants:
/// - TPV opens an epoch and nothing else does; its key is the time. GST joins the epoch of its own time
///   only; SKY, which mostly has none, holds from when it comes.
/// - A TPV with another time, or without one, closes the open epoch; live, so does a pause.
/// - A TPV with the time of the epoch just closed is late: counted, never a second `Fix`. At midnight
///   gpsd may name two days for one epoch, so a day more or less makes no difference.
struct GPSDAssembler: Sendable {
    /// The bounds of the pause that closes an epoch, milliseconds; as for sentences.
    static let pauseBounds: ClosedRange<Int64> = 60...250
    /// Of the receiver's period, as a divisor: 0.2.
    static let pauseDivisor: Int64 = 5
    /// What the period is taken for until two epochs show it, milliseconds.
    static let defaultPeriod: Int64 = 1000
    /// A longer step between two epochs is a gap, milliseconds.
    static let longestPeriod: Int64 = 10_000
    /// No epoch is open for longer, whatever joins it, milliseconds.
    static let longestEpoch: Int64 = 1000
    /// Times so near to each other are the same, milliseconds.
    static let timeTolerance: Int64 = 10

    private let isFile: Bool
    private(set) var resolver: TimeResolver
    private var choice = GPSDDeviceChoice()
    private var sky = GPSDSkyState()
    private var epoch: GPSDEpoch?
    private var lastClosed: (time: UTCTime, uptime: Uptime)?
    private var waitingErrors: GPSDErrors?
    private var period = defaultPeriod
    private var lastActivity = Uptime(milliseconds: 0)
    /// Milliseconds: uptime, or in a file the reported time, 0 before the first.
    private var clock: Int64 = 0
    /// What it was when the open epoch began.
    private var epochClock: Int64 = 0

    init(isFile: Bool, resolver: TimeResolver) {
        self.isFile = isFile
        self.resolver = resolver
    }

    /// The receiver that is followed; nil where there is none, or it has no name.
    var device: String? { choice.current ?? nil }

    /// When the open epoch must be closed if nothing arrives before; nil where nothing is open.
    var pauseDeadline: Uptime? {
        guard !isFile, let epoch else { return nil }
        let pause = min(
            max(period / Self.pauseDivisor, Self.pauseBounds.lowerBound),
            Self.pauseBounds.upperBound)
        return min(
            lastActivity.advanced(byMilliseconds: pause),
            epoch.openedAt.advanced(byMilliseconds: Self.longestEpoch))
    }

    mutating func take(
        _ position: GPSDPosition, at uptime: Uptime, counters: inout GPSDCounters,
        emit: (Fix) -> Void
    ) {
        advanceClock(position.time, uptime)
        switch choice.judge(position.device, hasFix: position.hasFix, at: clock) {
        case .followed: break
        case .ignored:
            counters.otherDevice += 1
            return
        case .changed:
            close(&counters, emit)
            sky = GPSDSkyState()
            waitingErrors = nil
        }
        if isOfOpenEpoch(position) {
            epoch?.add(position)
            counters.coalesced += 1
            lastActivity = uptime
            return
        }
        close(&counters, emit)
        if let time = position.time, isLate(time, uptime) {
            counters.late += 1
        } else {
            begin(position, uptime)
        }
    }

    mutating func take(_ sky: GPSDSky, at uptime: Uptime) {
        guard choice.current == nil || choice.isCurrent(sky.device) else { return }
        advanceClock(nil, uptime)
        self.sky.add(sky, at: clock)
        lastActivity = uptime
    }

    mutating func take(_ errors: GPSDErrors, at uptime: Uptime, counters: inout GPSDCounters) {
        guard choice.current == nil || choice.isCurrent(errors.device) else { return }
        guard let time = errors.time else {
            if let accuracy = errors.accuracy { epoch?.errors = accuracy }
            return
        }
        if let open = epoch?.time, Self.isSame(time, open) {
            epoch?.errors = errors.accuracy
            lastActivity = uptime
        } else if let lastClosed, Self.isSame(time, lastClosed.time) {
            counters.late += 1
        } else {
            waitingErrors = errors
        }
    }

    /// Closes the open epoch, after a pause or at the end.
    mutating func close(_ counters: inout GPSDCounters, _ emit: (Fix) -> Void) {
        guard let closing = epoch else { return }
        epoch = nil
        var fix = closing.fix(sky.current(at: epochClock))
        if let time = closing.time {
            let resolved = resolver.resolve(
                reported: time, isValid: fix.dimension != .none, at: closing.openedAt)
            fix.time = resolved.time
            fix.isTimeTrusted = resolved.isTrusted
            fix.integrityFlags.formUnion(resolved.flags)
            lastClosed = (time, closing.openedAt)
        }
        counters.epochs += 1
        if fix.dimension != .none { counters.fixes += 1 }
        emit(fix)
    }

    private mutating func begin(_ position: GPSDPosition, _ uptime: Uptime) {
        var epoch = GPSDEpoch(position, at: uptime)
        if let time = position.time {
            if let lastClosed {
                let step = time.milliseconds(since: lastClosed.time)
                if step > 0, step <= Self.longestPeriod { period = step }
            }
            if let errors = waitingErrors, let own = errors.time, Self.isSame(own, time) {
                epoch.errors = errors.accuracy
            }
            waitingErrors = nil
        }
        self.epoch = epoch
        epochClock = clock
        lastActivity = uptime
    }

    private func isOfOpenEpoch(_ position: GPSDPosition) -> Bool {
        guard let epoch else { return false }
        switch (epoch.time, position.time) {
        case (let open?, let time?): return Self.isSame(time, open)
        // Live, what has no time is one epoch until the pause, unless it is somewhere else.
        case (nil, nil): return !isFile && epoch.position.coordinate == position.coordinate
        default: return false
        }
    }

    private func isLate(_ time: UTCTime, _ uptime: Uptime) -> Bool {
        guard let lastClosed, Self.isSame(time, lastClosed.time) else { return false }
        let elapsed = uptime.milliseconds &- lastClosed.uptime.milliseconds
        return elapsed < UTCTime.millisecondsPerDay / 2
    }

    /// Whether two reported times are the same, or the same time of neighbouring days.
    private static func isSame(_ first: UTCTime, _ second: UTCTime) -> Bool {
        let distance = first.milliseconds(since: second).magnitude
        let day = UTCTime.millisecondsPerDay.magnitude
        let tolerance = timeTolerance.magnitude
        return distance < tolerance || distance < day + tolerance && distance > day - tolerance
    }

    private mutating func advanceClock(_ time: UTCTime?, _ uptime: Uptime) {
        if !isFile {
            clock = max(clock, uptime.milliseconds)
        } else if let time {
            if clock == 0 { sky.date(time.millisecondsSince1970) }
            clock = time.millisecondsSince1970
        }
    }
}
