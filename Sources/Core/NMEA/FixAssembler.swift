import Positioning
import Timekeeping

/// Puts the sentences of one receiver epoch together, and gives exactly one `Fix` for each.
///
/// Invariants:
/// - RMC, GGA, GNS and GLL open an epoch and nothing else does; its key is their time of day.
/// - A new time closes the open epoch. Live, so do the receiver's learned last sentence and a pause;
///   in a file nothing else does but its end.
/// - A sentence with the time of the epoch just closed is late: counted, never a second `Fix`.
/// - Sentences without time never join an epoch that has one.
struct FixAssembler {
    /// The bounds of the pause that closes an epoch, milliseconds.
    static let pauseBounds: ClosedRange<Int64> = 60...250
    /// Of the receiver's period, as a divisor: 0.2.
    static let pauseDivisor: Int64 = 5
    /// What the period is taken for until two epochs show it, milliseconds.
    static let defaultPeriod: Int64 = 1000
    /// ZDA may run so far ahead of the epoch that it dates, milliseconds.
    static let maximumDateLead: Int32 = 2000

    private let isFile: Bool
    private(set) var resolver: TimeResolver

    private var isOpen = false
    private var epoch = Epoch()
    private var untimedTags = UntimedTags()
    private var lastClosed: ClosedEpoch?
    private var waitingDate: UTCTime?
    private var waitingAccuracy: [AccuracyReport] = []

    private var learner = EndTagLearner()
    private(set) var period = Self.defaultPeriod
    private var lastActivity: Uptime?
    private var gatheredSinceClose = false

    private struct ClosedEpoch {
        var time: TimeOfDay
        var resolved: UTCTime?
    }

    init(isFile: Bool, resolver: TimeResolver) {
        self.isFile = isFile
        self.resolver = resolver
    }

    /// When the open epoch must be closed, or the start of a binary frame given up, if nothing
    /// arrives before; nil where nothing is waiting.
    func pauseDeadline(isFrameWaiting: Bool) -> Uptime? {
        guard !isFile, isOpen || gatheredSinceClose || isFrameWaiting, let lastActivity else {
            return nil
        }
        let pause = period / Self.pauseDivisor
        return lastActivity.advanced(
            byMilliseconds: min(
                max(pause, Self.pauseBounds.lowerBound), Self.pauseBounds.upperBound))
    }

    /// Takes RMC, GGA, GNS or GLL. It closes at most one epoch before it, and one with it.
    @inline(__always)
    mutating func ingest(
        _ report: PositionReport, _ tag: SentenceTag, at uptime: Uptime,
        counters: inout NMEACounters, emit: (Fix) -> Void
    ) {
        switch place(report, tag) {
        case .open: break
        case .new:
            if isOpen { close(&counters, emit) }
            begin(report.time, tag, at: uptime)
        case .late:
            counters.late += 1
            learner.forget()
            return
        }
        if report.isNullIsland { counters.nullIsland += 1 }
        epoch.add(report)
        noteLive(tag, at: uptime, &counters, emit)
    }

    /// Adds something that has no time of its own to the open epoch, or to the next one.
    @inline(__always)
    mutating func ingest(
        _ tag: SentenceTag, at uptime: Uptime, counters: inout NMEACounters,
        emit: (Fix) -> Void, add: (inout Epoch) -> Void
    ) {
        add(&epoch)
        noteLive(tag, at: uptime, &counters, emit)
    }

    /// Takes GST, GBS or PUBX,00.
    mutating func ingest(
        _ report: AccuracyReport, _ tag: SentenceTag, at uptime: Uptime,
        counters: inout NMEACounters, emit: (Fix) -> Void
    ) {
        if join(report, &counters) { noteLive(tag, at: uptime, &counters, emit) }
    }

    /// Takes ZDA.
    mutating func ingest(
        _ report: DateReport, _ tag: SentenceTag, at uptime: Uptime,
        counters: inout NMEACounters, emit: (Fix) -> Void
    ) {
        if join(report.time, report.date, at: uptime, &counters) {
            noteLive(tag, at: uptime, &counters, emit)
        }
    }

    /// Closes the open epoch after a pause, or at the end of a file.
    mutating func closeOpen(counters: inout NMEACounters, emit: (Fix) -> Void) {
        if isOpen {
            close(&counters, emit)
        } else if gatheredSinceClose {
            // Something of the epoch came behind its learned end.
            learner.forget()
            gatheredSinceClose = false
        }
    }

    /// Bytes of a sentence have arrived: the epoch may go on.
    mutating func noteActivity(at uptime: Uptime) { lastActivity = uptime }

    @inline(__always)
    private mutating func noteLive(
        _ tag: SentenceTag, at uptime: Uptime, _ counters: inout NMEACounters,
        _ emit: (Fix) -> Void
    ) {
        guard !isFile else { return }
        lastActivity = uptime
        guard isOpen else {
            gatheredSinceClose = true
            return
        }
        if learner.note(tag) { close(&counters, emit) }
    }

    /// Where a position sentence belongs.
    private enum Place {
        case open, new, late
    }

    @inline(__always)
    private mutating func place(_ report: PositionReport, _ tag: SentenceTag) -> Place {
        if isOpen {
            switch (epoch.time, report.time) {
            case (let current?, let time?) where time.matches(current): return .open
            case (nil, nil) where untimedTags.insert(tag): return .open
            default: break
            }
        }
        guard let time = report.time, isLate(time, report.date) else { return .new }
        return .late
    }

    private func isLate(_ time: TimeOfDay, _ date: CalendarDate?) -> Bool {
        guard let lastClosed, time.matches(lastClosed.time) else { return false }
        guard let date, let resolved = lastClosed.resolved else { return true }
        // The same time of another day is another epoch.
        return abs(UTCTime(date, time).milliseconds(since: resolved)) < UTCTime.millisecondsPerDay
            / 2
    }

    private mutating func begin(_ time: TimeOfDay?, _ tag: SentenceTag, at uptime: Uptime) {
        isOpen = true
        gatheredSinceClose = false
        epoch.time = time
        epoch.openedAt = uptime
        guard let time else {
            untimedTags = UntimedTags(first: tag)
            return
        }
        if let lastClosed {
            let step = Int64(lastClosed.time.milliseconds(to: time))
            if step > 0, step <= Self.maximumPeriod { period = step }
        }
        if let date = waitingDate {
            if Self.leads(date, time) {
                epoch.dated = date
            } else {
                resolver.suggest(date, at: uptime)
            }
            waitingDate = nil
        }
        guard !waitingAccuracy.isEmpty else { return }
        for report in waitingAccuracy where report.time.map(time.matches) == true {
            epoch.add(report)
        }
        waitingAccuracy.removeAll(keepingCapacity: true)
    }

    /// A longer step between two epochs is a gap.
    private static let maximumPeriod: Int64 = 10_000

    private mutating func close(_ counters: inout NMEACounters, _ emit: (Fix) -> Void) {
        var fix = epoch.fix
        let resolved = resolver.resolve(
            timeOfDay: epoch.time.map { Int64($0.milliseconds) }, dated: epoch.dated,
            isValid: fix.dimension != .none, at: epoch.openedAt)
        fix.time = resolved.time
        fix.isTimeTrusted = resolved.isTrusted
        fix.integrityFlags.formUnion(resolved.flags)
        if let time = epoch.time { lastClosed = ClosedEpoch(time: time, resolved: resolved.time) }
        counters.epochs += 1
        if fix.dimension != .none { counters.fixes += 1 }
        isOpen = false
        gatheredSinceClose = false
        epoch = Epoch()
        if !isFile { learner.close() }
        emit(fix)
    }

    /// Adds what is known about the error to the epoch of its time, or lets it wait for that.
    private mutating func join(_ report: AccuracyReport, _ counters: inout NMEACounters) -> Bool {
        guard let time = report.time else {
            guard isOpen, epoch.time == nil else { return false }
            epoch.add(report)
            return true
        }
        if isOpen, epoch.time?.matches(time) == true {
            epoch.add(report)
            return true
        }
        if lastClosed?.time.matches(time) == true {
            counters.late += 1
            learner.forget()
            return false
        }
        waitingAccuracy.removeAll { $0.source == report.source }
        waitingAccuracy.append(report)
        return true
    }

    /// Dates the open epoch, and the next one, if their time is that of ZDA or up to 2 s earlier.
    private mutating func join(
        _ time: TimeOfDay?, _ date: CalendarDate?, at uptime: Uptime,
        _ counters: inout NMEACounters
    ) -> Bool {
        guard let time else { return isOpen && epoch.time == nil }
        let isOwn = isOpen && epoch.time?.matches(time) == true
        if !isOwn, lastClosed?.time.matches(time) == true {
            counters.late += 1
            learner.forget()
            if let date { resolver.suggest(UTCTime(date, time), at: uptime) }
            return false
        }
        guard let date else { return isOwn }
        let instant = UTCTime(date, time)
        if isOpen, let own = epoch.time, isOwn || (epoch.dated == nil && Self.leads(instant, own)) {
            epoch.dated = instant
        }
        waitingDate = isOwn ? nil : instant
        return isOwn || !isOpen
    }

    /// Whether a dated instant is that of the epoch or at most 2 s ahead of it.
    private static func leads(_ instant: UTCTime, _ time: TimeOfDay) -> Bool {
        let other = TimeOfDay(milliseconds: Int32(truncatingIfNeeded: instant.millisecondsOfDay))
        return time.matches(other) || time.milliseconds(to: other) <= maximumDateLead
    }
}
