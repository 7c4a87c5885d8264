import Geodesy
import Timekeeping

/// Decides when to ask for fences, so that none can hold the device without being known.
///
/// The server answers a place, the anchor, with the nearest fences and R, the distance to the
/// nearest one that it left out. Edge distance changes by at most what the device moves, so while
/// the true displacement from the anchor is below R no unknown fence can hold the device. The guard
/// asks again early enough that an answer arrives before R is reached, and says so where it did not
/// (`coverage_lost`), once, until an answer helps (`coverage_restored`).
public struct CoverageGuard: Sendable {
    public let rules: CoverageRules
    /// Store it with the tracker's state.
    public private(set) var state: CoverageState

    private let started: Uptime
    private var fix: CoverageFix?
    private var clock = FixIntervals()
    /// The highest speed since the last answer, m/s.
    private var peakSpeed = 0.0
    private var pending: SyncRequest?
    private var hasSynced = false
    private var isPushed = false
    private var lastSuccess: Uptime?
    private var backoff = Backoff()
    private var hasRoute = true
    /// There was no route at some time of the pending sync.
    private var lackedRoute = false
    /// A route came back during the pending sync: the random number for it.
    private var returned: Double?
    /// Fences to ask for at most, where more of them made an answer too large; nil: as many as one
    /// likes.
    private var fewest: (pool: Int, until: Uptime)?

    /// `at`: now. The first sync is wanted at once.
    public init(state: CoverageState = CoverageState(), rules: CoverageRules = .init(), at: Uptime)
    {
        self.state = state
        self.rules = rules
        started = at
    }

    /// Goes on where another process of this boot was killed. A question that it asked has no answer
    /// any more, and the first sync is wanted at once, as at every start.
    public init(resuming kept: CoverageMemory, rules: CoverageRules = .init(), at: Uptime) {
        self.init(state: kept.state, rules: rules, at: at)
        fix = kept.fix
        clock = kept.clock
        peakSpeed = kept.peakSpeed
        fewest = kept.fewest.map { ($0.pool, $0.until) }
    }

    /// What `init(resuming:)` needs.
    public var memory: CoverageMemory {
        CoverageMemory(
            state: state, fix: fix, clock: clock, peakSpeed: peakSpeed,
            fewest: fewest.map { CoverageMemory.Fewest(pool: $0.pool, until: $0.until) })
    }

    // MARK: - Inputs

    /// One accepted good fix, or nil for the passing of time alone.
    public mutating func step(fix: CoverageFix?, at now: Uptime) -> CoverageStep {
        if let fewest, now >= fewest.until { self.fewest = nil }
        if let fix {
            self.fix = fix
            clock.append(now)
            peakSpeed = max(peakSpeed, fix.speed ?? 0)
        }
        var result = CoverageStep()
        if fix != nil, !state.isLost, isBeyondCoverage {
            state.isLost = true
            result.signals = [.lost]
        }
        result.request = request(at: now)
        if let request = result.request {
            pending = request
            isPushed = false
            lackedRoute = !hasRoute
            returned = nil
        }
        return result
    }

    /// The pending request was answered, by a new set or by "not modified".
    public mutating func syncSucceeded(
        _ coverage: FenceCoverage, at now: Uptime
    ) -> [CoverageSignal] {
        guard let request = pending else { return [] }
        pending = nil
        hasSynced = true
        lastSuccess = now
        backoff = Backoff()
        state.anchor = CoverageState.Anchor(
            position: request.position,
            errorMeters: rules.errorMeters(accuracyMeters: request.accuracyMeters))
        state.coverageRadiusMeters = coverage.coverageRadiusMeters.map { $0 >= 0 ? $0 : 0 }
        state.refreshAfterMeters = coverage.refreshAfterMeters
        state.refreshAfterSeconds = coverage.refreshAfterSeconds
        state.pool = request.pool
        peakSpeed = fix?.speed ?? 0
        guard state.isLost, !isBeyondCoverage else { return [] }
        state.isLost = false
        return [.restored]
    }

    /// The pending request failed. `random`: uniform in 0 ..< 1.
    public mutating func syncFailed(
        _ failure: FenceFetchFailure, at now: Uptime, random: Double
    ) {
        guard let request = pending else { return }
        pending = nil
        if request.reason == .push { isPushed = true }
        if failure.kind == .tooLarge {
            fewest = (
                max(1, request.pool / rules.tooLargeDivisor),
                now.advanced(byMilliseconds: Int64(rules.fewerSeconds * 1000))
            )
        }
        backoff.fail(failure, hasRoute: !lackedRoute, at: now, random: random, rules)
        if let returned { backoff.networkChanged(at: now, random: returned, rules) }
    }

    /// An address or a route came or went. `random`: uniform in 0 ..< 1.
    ///
    /// Only a failure on this side of the network is over with it; a server that is busy stays so.
    /// A sync that nobody answered while there was no route failed on this side.
    public mutating func networkChanged(hasRoute: Bool, at now: Uptime, random: Double) {
        self.hasRoute = hasRoute
        guard hasRoute else {
            lackedRoute = true
            return
        }
        guard pending == nil else {
            returned = returned ?? random
            return
        }
        backoff.networkChanged(at: now, random: random, rules)
    }

    /// No sync before then, since the server does not know this device; nil: it does.
    public mutating func pause(until time: Uptime?) { backoff.pause(until: time) }

    /// The server said that fences or configuration changed.
    public mutating func configurationPushed() { isPushed = true }

    // MARK: - Answers

    /// Metres from the anchor to the last good fix; nil without either.
    public var displacementMeters: Double? {
        guard let anchor = state.anchor, let fix else { return nil }
        return anchor.position.distance(to: fix.position)
    }

    /// The displacement at which the next sync is due, metres; nil: no anchor.
    public var thresholdMeters: Double? {
        guard state.anchor != nil else { return nil }
        return max(CoverageRules.leastMeters, wantedMeters(radius: state.coverageRadiusMeters))
    }

    public var status: CoverageStatus {
        guard state.anchor != nil else { return .none }
        if state.isLost { return .lost }
        guard let radius = state.coverageRadiusMeters else { return .complete }
        let isDense =
            wantedMeters(radius: radius) < CoverageRules.leastMeters
            && state.pool >= greatestPool
        return isDense ? .dense : .covered
    }

    /// The circle that the region monitor watches for the next sync; nil: no anchor.
    public var refreshRegion: EnclosingCircle? {
        guard let anchor = state.anchor, let threshold = thresholdMeters else { return nil }
        return EnclosingCircle(center: anchor.position, radiusMeters: threshold)
    }
}

// MARK: - The rule

extension CoverageGuard {
    /// Whether an unknown fence may hold the device.
    private var isBeyondCoverage: Bool {
        guard let anchor = state.anchor, let displacement = displacementMeters else { return false }
        return displacement + anchor.errorMeters + errorMeters
            >= rules.safeRadius(state.coverageRadiusMeters)
    }

    /// Bound of the last fix's error, metres.
    private var errorMeters: Double {
        rules.errorMeters(accuracyMeters: fix?.accuracyMeters ?? 0)
    }

    /// T: how far the device may go, so that the answer still comes in time.
    private func wantedMeters(radius: Double?, speed: Double? = nil) -> Double {
        let wish = max(
            CoverageRules.leastMeters, state.refreshAfterMeters ?? rules.refreshAfterMeters)
        let fastest = max(rules.leastSpeed, speed ?? fix?.speed ?? 0)
        let ahead = fastest * (clock.periodSeconds + rules.syncSeconds)
        return min(
            wish,
            rules.safeRadius(radius) - (state.anchor?.errorMeters ?? 0) - errorMeters - ahead)
    }

    private func request(at now: Uptime) -> SyncRequest? {
        guard pending == nil, let place = place(at: now) else { return nil }
        let isFar = thresholdMeters.map { (displacementMeters ?? 0) >= $0 } ?? true
        guard let reason = reason(isFar: isFar, at: now),
            backoff.isOver(at: now, isUrgent: isFar, rules)
        else { return nil }
        return SyncRequest(
            reason: reason, position: place.position, accuracyMeters: place.accuracyMeters,
            pool: nextPool)
    }

    /// Where to ask from: the last good fix, else the stored anchor once a start has waited.
    private func place(at now: Uptime) -> CoverageFix? {
        if let fix { return fix }
        guard let anchor = state.anchor, now.seconds(since: started) >= rules.startSeconds else {
            return nil
        }
        return CoverageFix(
            position: anchor.position, accuracyMeters: anchor.errorMeters / rules.errorFactor,
            speed: nil)
    }

    private func reason(isFar: Bool, at now: Uptime) -> SyncRequest.Reason? {
        if isPushed { return .push }
        if !hasSynced { return .start }
        if isFar { return .distance }
        if needsPool { return .pool }
        let age = lastSuccess.map { now.seconds(since: $0) } ?? 0
        return age >= state.refreshAfterSeconds ?? rules.refreshAfterSeconds ? .age : nil
    }

    /// Whether the fences lie so densely that the next sync would be due at once.
    private var needsPool: Bool {
        state.pool < greatestPool
            && wantedMeters(radius: state.coverageRadiusMeters) < CoverageRules.leastMeters
    }

    private var greatestPool: Int { fewest?.pool ?? CoverageRules.pools.upperBound }

    private var nextPool: Int { min(greatestPool, wantedPool) }

    private var wantedPool: Int {
        let pools = CoverageRules.pools
        guard state.anchor != nil else { return max(pools.lowerBound, state.pool) }
        if needsPool { return min(pools.upperBound, max(pools.lowerBound, state.pool * 2)) }
        // Half the fences reach about R / 1.5 (in a plane, R / square root of 2).
        let half = state.coverageRadiusMeters.map { $0 / 1.5 }
        let wouldDo =
            wantedMeters(radius: half, speed: max(peakSpeed, fix?.speed ?? 0))
            >= CoverageRules.leastMeters
        return wouldDo
            ? max(pools.lowerBound, state.pool / 2) : max(pools.lowerBound, state.pool)
    }
}
