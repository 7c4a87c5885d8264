import Geodesy
import Snapshots
import Timekeeping

/// The quality gate: decides for every epoch whether the fence tracker may believe it.
///
/// Invariants: an accepted fix is never older than the one before; a fix is compared with the last
/// *accepted* one, and where there is none, or none of late, with the next; whatever a receiver
/// does, something is accepted again after `lockoutMaxSeconds`, or twice that long after an outage;
/// held fixes are either released in order or contradicted, never lost.
public struct FixFilter: Sendable {
    public var rules: FixFilterRules
    /// How often each verdict was given.
    public private(set) var counts = FixVerdictCounts()
    /// The last fix that may be believed; nil before the first.
    public private(set) var lastAccepted: FilteredFix?
    public private(set) var period = NominalPeriod()

    private var order = TimeOrder()
    private var frozen = FrozenPosition()
    private var warmUp = WarmUp()
    private var held = HeldFixes()
    private var lastReal: Uptime?
    /// Since when fixes are held for want of one to compare them with.
    private var unconfirmedSince: Uptime?
    /// What a fix is compared with: of `lastAccepted`.
    private var reference: Plausibility.State?
    /// Goes on where another process was, whose receiver this one has not opened yet.
    private var isHandedOver = false

    public init(rules: FixFilterRules = FixFilterRules()) {
        self.rules = rules
    }

    /// What one epoch gives: `released` first, in order, then `latest`.
    public struct Result: Sendable {
        /// Earlier fixes that this one vouches for; nearly always empty.
        public var released: [FilteredFix] = []
        /// The epoch itself with its verdict.
        public var latest: FilteredFix
    }

    /// The source opened its device: warm-up begins. Not where a process that was killed is followed
    /// by the next: its receiver went on, or was silent for long enough to begin anew by that.
    public mutating func sourceOpened() {
        if !isHandedOver { warmUp.restart() }
        isHandedOver = false
    }

    /// Continues from a fix that was accepted before a restart in the same boot.
    public mutating func resume(after fix: FilteredFix) {
        lastAccepted = fix
        reference = Plausibility.State(fix)
        order.advance(to: fix.fix)
    }

    /// Judges one epoch. Constant time but for the release of held fixes.
    public mutating func ingest(_ fix: Fix) -> Result {
        let result = judge(fix)
        for member in result.released { counts.count(member.verdict) }
        counts.count(result.latest.verdict)
        return result
    }

    /// Whether the last accepted fix is too old to say where the device is.
    public func isExpired(at now: Uptime) -> Bool {
        guard let lastAccepted else { return true }
        return now.seconds(since: lastAccepted.fix.uptime) > expirySeconds
    }

    /// How long a fix says where the device is.
    public var expirySeconds: Double {
        max(rules.expiryPeriods * (period.seconds ?? 0), rules.expiryMinSeconds)
    }

    private mutating func judge(_ fix: Fix) -> Result {
        let accuracy = effectiveAccuracy(of: fix)
        func refused(_ verdict: FixVerdict, _ fix: Fix) -> Result {
            Result(
                latest: FilteredFix(
                    fix: fix, verdict: verdict, accuracyMeters: accuracy, seedsState: false))
        }
        guard let coordinate = fix.coordinate, isOfSatellites(fix) else {
            return refused(.invalid, fix)
        }
        if isNullIsland(coordinate) { return refused(.nullIsland, fix) }
        // Asked about its parts, not as a whole: each call on the whole gate would copy it.
        if order.isStale(fix, lockoutMaxSeconds: rules.lockoutMaxSeconds)
            || !held.isEmpty && isRepeatOfHeld(fix)
        {
            return refused(.stale, fix)
        }
        if frozen.isFrozen(fix, epochs: rules.frozenEpochs, minSpeed: rules.frozenMinSpeed) {
            var marked = fix
            marked.integrityFlags.insert(.frozen)
            return refused(.stale, marked)
        }
        if fix.quality == .estimated, !acceptsEstimated(fix) { return refused(.estimated, fix) }
        let isWarm = admits(fix, accuracyMeters: accuracy)
        if accuracy > rules.departMaxMeters { return refused(.inaccurate, fix) }
        let verdict: FixVerdict = accuracy > rules.arriveMaxMeters ? .departOnly : .ok
        return place(
            FilteredFix(
                fix: fix, verdict: verdict, accuracyMeters: accuracy,
                seedsState: isWarm && verdict == .ok))
    }

    /// Compares a fix that is good in itself with the track so far.
    private mutating func place(_ fix: FilteredFix) -> Result {
        let now = Plausibility.State(fix)
        let isContinued = !held.isEmpty && held.isContinued(by: fix, rules: rules)
        if let reference,
            Plausibility.seconds(from: reference, to: now) <= rules.lockoutMaxSeconds
        {
            if !Plausibility.isPlausible(from: reference, to: now, rules: rules) {
                return hold(fix)
            }
        } else if !isContinued, needsConfirmation(fix.fix) {
            unconfirmedSince = unconfirmedSince ?? fix.fix.uptime
            held.hold(fix, rules: rules)
            return quarantined(fix)
        }
        if held.isEmpty {
            follow(fix, now)
            return Result(latest: fix)
        }
        return accept(fix, after: isContinued ? held.fixes : [])
    }

    /// Whether a fix without one to compare it with waits for the next: damage on a line can pass
    /// the checksum, and nothing else would see it. Such a fix could not seed a state anyway.
    private func needsConfirmation(_ fix: Fix) -> Bool {
        switch fix.source {
        case .recording, .fixed: return false
        case .nmea, .gpsd:
            guard let unconfirmedSince else { return true }
            return fix.uptime.seconds(since: unconfirmedSince) <= rules.lockoutMaxSeconds
        }
    }

    private mutating func hold(_ fix: FilteredFix) -> Result {
        held.hold(fix, rules: rules)
        if held.isConvincing(rules: rules) { return accept(fix, after: held.fixes.dropLast()) }
        return quarantined(fix)
    }

    private func quarantined(_ fix: FilteredFix) -> Result {
        var quarantined = fix
        quarantined.verdict = .quarantined
        quarantined.seedsState = false
        return Result(latest: quarantined)
    }

    private mutating func accept(
        _ fix: FilteredFix, after released: some Collection<FilteredFix>
    ) -> Result {
        let earlier = released.isEmpty ? [] : Array(released)
        held.removeAll()
        unconfirmedSince = nil
        for member in earlier { follow(member, Plausibility.State(member)) }
        follow(fix, Plausibility.State(fix))
        return Result(released: earlier, latest: fix)
    }

    private mutating func follow(_ fix: FilteredFix, _ state: Plausibility.State) {
        if let reference { period.add(max(0, state.uptime.seconds(since: reference.uptime))) }
        lastAccepted = fix
        reference = state
        order.advance(to: fix.fix)
        if fix.fix.quality != .estimated { lastReal = fix.fix.uptime }
    }

    private func effectiveAccuracy(of fix: Fix) -> Double {
        guard let claimed = fix.horizontalAccuracy?.meters, claimed > 0, claimed.isFinite else {
            return rules.unknownAccuracyMeters
        }
        let isRTK = fix.quality == .rtkFixed || fix.quality == .rtkFloat
        return max(
            claimed * rules.accuracyScale,
            isRTK ? rules.rtkAccuracyFloorMeters : rules.accuracyFloorMeters)
    }

    private func isOfSatellites(_ fix: Fix) -> Bool {
        if fix.source == .fixed { return true }
        switch fix.quality {
        case .none: return fix.dimension != .none
        case .manual, .simulated: return false
        default: return true
        }
    }

    private func isNullIsland(_ coordinate: Coordinate) -> Bool {
        abs(coordinate.latitude) < rules.nullIslandDegrees
            && abs(coordinate.longitude) < rules.nullIslandDegrees
    }

    private func isRepeatOfHeld(_ fix: Fix) -> Bool {
        guard let time = fix.time, let last = held.last?.fix, let lastTime = last.time
        else { return false }
        return time == lastTime || (time < lastTime && fix.isTimeTrusted && last.isTimeTrusted)
    }

    private func acceptsEstimated(_ fix: Fix) -> Bool {
        guard rules.acceptsEstimated, let lastReal, let accuracy = fix.horizontalAccuracy else {
            return false
        }
        return fix.uptime.seconds(since: lastReal) <= rules.estimatedMaxSeconds
            && (accuracy.provenance == .receiver || accuracy.provenance == .gst)
            && accuracy.meters <= rules.estimatedMaxMeters
    }

    private mutating func admits(_ fix: Fix, accuracyMeters: Double) -> Bool {
        switch fix.source {
        case .nmea, .gpsd:
            warmUp.admits(at: fix.uptime, accuracyMeters: accuracyMeters, rules: rules)
        case .recording, .fixed: true
        }
    }
}

/// Everything that a verdict depends on, but the rules.
extension FixFilter: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(lastAccepted)
        snapshot.write(period)
        snapshot.write(order)
        snapshot.write(frozen)
        snapshot.write(warmUp)
        snapshot.write(held)
        snapshot.write(lastReal)
        snapshot.write(unconfirmedSince)
    }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init()
        lastAccepted = try snapshot.read()
        period = try snapshot.read()
        order = try snapshot.read()
        frozen = try snapshot.read()
        warmUp = try snapshot.read()
        held = try snapshot.read()
        lastReal = try snapshot.read()
        unconfirmedSince = try snapshot.read()
        reference = lastAccepted.map(Plausibility.State.init)
        isHandedOver = true
    }
}
