import Delivery
import Geodesy
import Geofencing
import Positioning
import Simulation
import Timekeeping
import WireFormat

/// One simulated device: the agent's own upload planner, its questions for fences and its events,
/// without receiver and tracker.
///
/// A value without clock and I/O; whoever drives it asks `step`, does it, and reports `finished`.
public struct LoadAgent: Sendable {
    /// A device that stops at a fence: enter; dwell and visit_started; exit and visit_ended.
    static let eventsOfStop = 5
    static let stepsOfStop = 3
    /// Metres a second that a device is taken to drive when it works out its next question.
    static let speed = 10.0
    static let fenceLimit = 18
    private static let heartbeatSeconds = 300.0

    public let deviceID: String
    private let plan: LoadPlan
    private let bootID = BootID(LoadQueue.randomHexadecimal())
    private var planner: UploadPlanner
    private var queue: LoadQueue
    private var random: SeededGenerator
    private var position: Coordinate
    private var fences: [(id: String, version: Int)] = []
    private var entityTag: String?
    private var revision: Int?
    private var syncDelay = RetryDelay()
    private var nextSync: Uptime
    private var nextEvent: Uptime
    private var stage = Stage.outside
    /// Results in receipts that were lost on purpose. Their events are sent again, so each of them
    /// comes back as a duplicate.
    public private(set) var lostResults = 0

    private enum Stage {
        case outside
        case inside(fence: (id: String, version: Int))
        case visiting(fence: (id: String, version: Int))
    }

    /// What the device does next.
    public enum Step: Sendable {
        case wait(until: Uptime)
        case askForFences(FenceQuery)
        case send(OutgoingBatch)
        case sendHeartbeat([UInt8])
        /// It is to stop, and everything has been delivered.
        case done
    }

    /// The device number `index` of a fleet that starts at `start`.
    public init(_ index: Int, of plan: LoadPlan, start: Uptime) {
        self.plan = plan
        deviceID = LoadPlan.deviceID(index)
        random = SeededGenerator(seed: plan.seed, stream: UInt64(index))
        queue = LoadQueue(deviceID: deviceID)
        planner = UploadPlanner(
            policy: UploadPolicy(heartbeatSeconds: Self.heartbeatSeconds),
            batchPrefix: String(LoadQueue.randomHexadecimal().prefix(16)), phase: random.uniform())
        let distance = plan.spreadMeters * random.uniform().squareRoot()
        position = Self.moved(plan.around, by: distance, random.uniform())
        let first = start.advanced(
            byMilliseconds: Int64(random.uniform() * plan.rampSeconds * 1000))
        nextSync = first
        nextEvent = first.advanced(
            byMilliseconds: Int64(random.uniform() * plan.stepSeconds * 1000))
    }

    public var counts: QueueCounts { queue.counts }
    /// Whether the server has named fences to it.
    public var hasFences: Bool { !fences.isEmpty }

    /// Throws where an event cannot be written as JSON.
    public mutating func step(
        at now: Uptime, wall: WallClockReading, isStopping: Bool
    ) throws -> Step {
        if !isStopping {
            try makeEvents(at: now, wall: wall)
            if nextSync <= now { return .askForFences(query) }
        }
        let isDone = isStopping && queue.counts.pending == 0
        if isDone { return .done }
        switch planner.step(at: now, pendingCount: queue.counts.pending) {
        case .send(let plan):
            let events = queue.pending(plan.selection)
            guard !events.isEmpty else {
                planner.foundNothing(at: now)
                return .wait(until: now.advanced(byMilliseconds: 1_000))
            }
            return .send(
                OutgoingBatch(
                    batchID: plan.batchID, events: events, counts: queue.counts, clockAnchors: []))
        case .heartbeat: return .sendHeartbeat(try heartbeat(at: now, wall: wall))
        case .wait(let until): return .wait(until: isStopping ? until : min(until, ownTime))
        case .idle, .sendAnchors: return .wait(until: ownTime)
        }
    }

    private var ownTime: Uptime { min(nextSync, nextEvent) }

    // MARK: What happened

    public mutating func finished(
        _ outcome: SendOutcome, of batch: OutgoingBatch, at now: Uptime
    ) {
        var outcome = outcome
        if case .receipt(let receipt) = outcome, plan.lostAnswers > 0,
            random.uniform() < plan.lostAnswers
        {
            lostResults += receipt.results.values.count { $0.status.isKept }
            outcome = .unreachable(.serverBusy, reason: "the answer was lost on purpose")
        }
        let conclusion = planner.finished(
            outcome, of: batch, at: now, random: random.uniform())
        queue.settle(conclusion.settlements)
        follow(conclusion.configRevision, at: now)
    }

    public mutating func finished(heartbeat outcome: HeartbeatOutcome, at now: Uptime) {
        let conclusion = planner.finished(
            heartbeat: outcome, at: now, random: random.uniform())
        follow(conclusion.configRevision, at: now)
    }

    public mutating func finished(fences outcome: FenceFetchOutcome, at now: Uptime) {
        switch outcome {
        case .fresh(let answer):
            fences = answer.fences.prefix(Self.fenceLimit).map { ($0.id, $0.version) }
            entityTag = answer.entityTag
            revision = answer.configuration.revision
            planner.configure(
                UploadPolicy(
                    maxBatch: answer.configuration.uploadMaxBatch ?? 200,
                    intervalSeconds: answer.configuration.uploadIntervalSeconds ?? 60,
                    heartbeatSeconds: Self.heartbeatSeconds))
            drive(on: answer.coverage, from: now)
        case .notModified(let coverage): drive(on: coverage, from: now)
        case .failed(let failure):
            let wait = syncDelay.failed(
                random: random.uniform(), retryAfterSeconds: failure.retryAfterSeconds)
            nextSync = now.advanced(byMilliseconds: Int64(wait * 1000))
        }
    }

    /// Another configuration is there: it comes with the fences.
    private mutating func follow(_ revision: Int?, at now: Uptime) {
        guard let revision, let known = self.revision, revision != known else { return }
        nextSync = min(nextSync, now)
    }

    /// When the device will have driven as far as the answer reaches, and where it is then.
    private mutating func drive(on coverage: FenceCoverage, from now: Uptime) {
        syncDelay.reset()
        let meters = coverage.refreshAfterMeters ?? 1_000
        let seconds = min(max(meters / Self.speed, 10), coverage.refreshAfterSeconds ?? 21_600)
        nextSync = now.advanced(byMilliseconds: Int64(seconds * 1000))
        position = Self.moved(position, by: meters, random.uniform())
    }

    // MARK: What it says

    private var query: FenceQuery {
        FenceQuery(
            position: position, accuracyMeters: 5, limit: Self.fenceLimit, pool: plan.pool,
            entityTag: entityTag)
    }

    private mutating func makeEvents(at now: Uptime, wall: WallClockReading) throws {
        guard nextEvent <= now else { return }
        let mean = plan.stepSeconds * 1000
        nextEvent = now.advanced(
            byMilliseconds: max(1, Int64(mean * random.uniform(in: 0.5..<1.5))))
        guard !queue.isFull, !fences.isEmpty else { return }
        switch stage {
        case .outside:
            let fence = fences[Int.random(in: fences.indices, using: &random)]
            try queue.commit([draft(.enter, fence, now, wall)])
            stage = .inside(fence: fence)
        case .inside(let fence):
            try queue.commit(
                [draft(.dwell, fence, now, wall), draft(.visitStarted, fence, now, wall)])
            stage = .visiting(fence: fence)
        case .visiting(let fence):
            try queue.commit(
                [draft(.exit, fence, now, wall), draft(.visitEnded, fence, now, wall)])
            stage = .outside
        }
    }

    private func draft(
        _ kind: EventKind, _ fence: (id: String, version: Int), _ now: Uptime,
        _ wall: WallClockReading
    ) -> EventDraft {
        let moment = Moment(uptime: now, utc: wall.time)
        let endsVisit = kind == .exit || kind == .visitEnded
        return EventDraft(
            kind: kind, fenceID: fence.id, fenceVersion: fence.version, bootID: bootID,
            occurred: moment, detected: moment, wallClock: wall, timeQuality: .gnss,
            fix: Fix(
                coordinate: position, time: wall.time, isTimeTrusted: true, uptime: now,
                horizontalAccuracy: HorizontalAccuracy(meters: 5, provenance: .hdop), speed: 0.5,
                hdop: 0.9, satellitesUsed: 10, dimension: .threeDimensional, quality: .autonomous,
                source: .nmea),
            evidence: Evidence(rule: "load", signedDistanceMeters: endsVisit ? -20 : 20),
            durationSeconds: endsVisit ? 2 * plan.stepSeconds : nil, endsVisit: endsVisit)
    }

    private func heartbeat(at now: Uptime, wall: WallClockReading) throws -> [UInt8] {
        try WireCoding.encode(
            WireHeartbeat(
                deviceID: deviceID, sentAt: wall.time, bootID: bootID, runningSeconds: 0,
                status: WireHeartbeat.Status(
                    receiver: "ok", reason: nil, clock: "gnss", storage: "durable",
                    checkIn: "ready",
                    fencesKnown: fences.count, fencesMonitored: fences.count, coverage: "ok",
                    configRevision: revision, recording: "off"),
                queue: EventBatch.Queue(
                    pending: queue.counts.pending, dead: queue.counts.dead,
                    oldest: queue.counts.oldest), lastFix: nil, integrityFlags: []))
    }

    /// So far in one of eight directions, 0 ..< 1; short of the poles it is near enough.
    private static func moved(
        _ from: Coordinate, by meters: Double, _ direction: Double
    ) -> Coordinate {
        let steps: [(north: Double, east: Double)] = [
            (1, 0), (0.7, 0.7), (0, 1), (-0.7, 0.7), (-1, 0), (-0.7, -0.7), (0, -1), (0.7, -0.7),
        ]
        let step = steps[min(Int(direction * 8), 7)]
        let degrees = meters / 111_320
        return Coordinate(
            latitude: from.latitude + step.north * degrees,
            longitude: from.longitude + step.east * degrees) ?? from
    }
}

extension Receipt.Status {
    /// The server has it now.
    fileprivate var isKept: Bool { self == .accepted || self == .duplicate }
}
