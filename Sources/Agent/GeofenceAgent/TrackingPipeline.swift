import Delivery
import Geodesy
import Geofencing
import Positioning
import Timekeeping

/// From fixes to events: quality gate, fence tracker, region budget and event recorder in a line.
///
/// A value without clock or I/O. The agent, the replay, the scoring and the tests run this same
/// one, so that a recorded drive gives the same decisions everywhere.
public struct TrackingPipeline: Sendable {
    /// The rules in force: the configured ones with the server's say applied.
    public internal(set) var rules: PipelineRules
    public internal(set) var filter: FixFilter
    public internal(set) var tracker: FenceTracker
    /// Nil where the whole fence set is known: standalone, in replay.
    public internal(set) var coverage: CoverageGuard?

    let configuredRules: PipelineRules
    let recorder: EventRecorder
    private let bootID: BootID
    /// Fences that were added on the device; they take part in every set.
    public internal(set) var localFences: [Fence] = []
    /// The fences of the server or of the file.
    var givenFences: [Fence] = []
    var budget = RegionBudget()
    var monitor: RegionMonitor
    var home = HomeWatch()
    var needsRanking = true
    var needsRefreshRegion = false
    /// The regions of the process before have not been registered by this one.
    var needsRegistration = false
    /// Inside, but beyond the number that can be monitored.
    private var overflow: [String] = []
    private var expiriesSeen = 0
    private(set) var bridge: BootBridge?
    var lastTrusted: Moment?
    private var checkpoint = Checkpoint()

    /// `syncingFrom` is now where fences come from a server in parts, nil where the whole set is
    /// handed over.
    public init(
        rules: PipelineRules = PipelineRules(), bootID: BootID,
        restoring state: PipelineState? = nil, syncingFrom start: Uptime? = nil
    ) {
        configuredRules = rules
        self.rules = rules
        self.bootID = bootID
        recorder = EventRecorder(bootID: bootID)
        filter = FixFilter(rules: rules.filter)
        monitor = RegionMonitor(profile: rules.regionProfile)
        tracker = FenceTracker(rules: rules.transitions)
        coverage = start.map { CoverageGuard(state: state?.coverage ?? CoverageState(), at: $0) }
        guard let state else { return }
        if state.bootID == bootID.text, let snapshot = state.snapshot.flatMap({ try? $0.read() }) {
            takeOver(snapshot, syncingFrom: start)
            return
        }
        home = HomeWatch(restoring: state.home ?? HomeWatch.State())
        tracker = FenceTracker(
            rules: rules.transitions, restoring: state.tracker,
            isSameBoot: state.bootID == bootID.text)
        if state.bootID == bootID.text {
            if let last = tracker.lastFix { filter.resume(after: last) }
            lastTrusted = state.tracker.lastMoment.flatMap { $0.utc == nil ? nil : $0 }
        } else {
            bridge = BootBridge(state.tracker)
        }
    }

    /// What to commit so that a restart repeats nothing and loses nothing.
    public var persistedState: PipelineState {
        PipelineState(
            bootID: bootID, tracker: tracker.state, coverage: coverage?.state,
            home: rules.watchesHome ? home.state : nil)
    }

    /// When `tick` has something to do; nil: not before the next fix.
    public var nextDeadline: Uptime? { tracker.nextDeadline }

    /// The source opened its device.
    public mutating func sourceOpened() {
        filter.sourceOpened()
    }

    /// Takes in one epoch of a receiver.
    public mutating func ingest(_ fix: Fix, wallClock: WallClockReading) -> PipelineOutput {
        var output = PipelineOutput()
        let judged = filter.ingest(fix)
        output.judged = judged.latest
        output.released = judged.released
        for released in judged.released { track(released, into: &output) }
        track(judged.latest, into: &output)
        guardCoverage(judged.latest, at: fix.uptime, into: &output, wallClock)
        watchHome(judged.latest, into: &output, wallClock)
        finish(&output, wallClock)
        return output
    }

    /// Takes in a stationarity hint.
    public mutating func hint(
        stationary: Bool, at now: Uptime, wallClock: WallClockReading
    ) -> PipelineOutput {
        var output = PipelineOutput()
        output.transitions = tracker.hint(stationary: stationary, at: now)
        finish(&output, wallClock)
        return output
    }

    /// Fires what is due; call it at `nextDeadline`, or as often as convenient: what it gives does
    /// not depend on when it is called.
    public mutating func tick(at now: Uptime, wallClock: WallClockReading) -> PipelineOutput {
        var output = PipelineOutput()
        output.transitions = tracker.advance(to: now)
        guardCoverage(nil, at: now, into: &output, wallClock)
        finish(&output, wallClock)
        return output
    }

    /// Replaces the whole fence set: one that is missing was deleted.
    public mutating func replaceFences(
        _ fences: [Fence], at now: Uptime, wallClock: WallClockReading
    ) -> PipelineOutput {
        var output = PipelineOutput()
        givenFences = fences
        let prepared = prepare(wholeSet(fences), into: &output)
        output.transitions = tracker.setFences(prepared, at: moment(at: now))
        poolChanged()
        finish(&output, wallClock)
        return output
    }

    /// The moment of an uptime, with UTC where a trusted time of this boot is known.
    public func moment(at now: Uptime) -> Moment {
        guard let lastTrusted, let start = lastTrusted.uptime else {
            return Moment(uptime: now, utc: nil)
        }
        return lastTrusted.advanced(byMilliseconds: now.milliseconds - start.milliseconds)
    }

    // MARK: - One fix

    private mutating func track(_ fix: FilteredFix, into output: inout PipelineOutput) {
        if bridge != nil, fix.verdict.isAccepted {
            guard case .resolved(let shift)? = bridge?.take(fix) else { return }
            let held = bridge?.held ?? []
            bridge = nil
            tracker.rebase(shiftMilliseconds: shift)
            for member in held { follow(member, into: &output) }
            return
        }
        follow(fix, into: &output)
    }

    private mutating func follow(_ fix: FilteredFix, into output: inout PipelineOutput) {
        if fix.verdict.isAccepted {
            if fix.fix.isTimeTrusted, fix.fix.time != nil { lastTrusted = Moment(fix.fix) }
            if fix.verdict == .ok {
                monitor.setAvailability(.available)
                if needsRefreshRegion { registerRefreshRegion(into: &output) }
                rank(fix, into: &output)
            }
        }
        let wasInterrupted = tracker.isInterruptedNow
        let wasStopped = tracker.isStopped
        output.transitions += tracker.ingest(fix)
        if tracker.expiries != expiriesSeen {
            expiriesSeen = tracker.expiries
            poolChanged()
        }
        checkpoint.note(
            tracker, at: fix.fix.uptime,
            isPause: tracker.isInterruptedNow && !wasInterrupted
                || tracker.isStopped && !wasStopped)
    }

    /// Chooses the monitored fences for an accepted fix. While all of them can be monitored there
    /// is nothing to choose.
    private mutating func rank(_ fix: FilteredFix, into output: inout PipelineOutput) {
        guard needsRanking || tracker.poolCount > rules.fenceLimit,
            let situation = tracker.situation(of: fix, limit: rules.fenceLimit)
        else { return }
        let selection = budget.update(situation)
        if selection.overflow != overflow {
            overflow = selection.overflow
            output.overflow = overflow
        }
        if needsRanking || !selection.joined.isEmpty || !selection.left.isEmpty
            || !selection.overflow.isEmpty
        {
            tracker.setMonitored(ids: selection.evaluated, at: fix.fix.uptime)
        }
        if needsRanking { renewRegions(into: &output) }
        needsRanking = false
        register(needsRegistration ? selection.allJoined : selection, into: &output)
        needsRegistration = false
    }

    // MARK: - The set

    mutating func poolChanged() {
        budget.setPool(tracker.activePool)
        needsRanking = true
    }

    /// What is monitored: a fence of the device gives way to one of the same id that was given.
    func wholeSet(_ given: [Fence]) -> [Fence] {
        guard !localFences.isEmpty else { return given }
        let ids = Set(given.map(\.id))
        return given + localFences.filter { !ids.contains($0.id) }
    }

    /// Lays out the shapes that are new; one that cannot be measured is left out and told of.
    func prepare(
        _ fences: [Fence], into output: inout PipelineOutput
    ) -> [PreparedFence] {
        var prepared: [PreparedFence] = []
        prepared.reserveCapacity(fences.count)
        for fence in fences {
            do throws(ShapeError) {
                prepared.append(try tracker.prepared(fence, profile: rules.regionProfile))
            } catch {
                output.refusedFences.append(RefusedFence(id: fence.id, message: "\(error)"))
            }
        }
        return prepared
    }

    // MARK: - Out

    mutating func finish(_ output: inout PipelineOutput, _ wallClock: WallClockReading) {
        output.drafts =
            recorder.drafts(for: output.transitions, wallClock: wallClock) + output.drafts
        output.stateChanged =
            output.stateChanged || tracker.isStateChanged || checkpoint.isDue
        guard output.stateChanged else { return }
        tracker.markPersisted()
        checkpoint.taken(tracker)
    }
}
