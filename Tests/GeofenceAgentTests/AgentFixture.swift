import Delivery
import Geodesy
import Geofencing
import Positioning
import Simulation
import Synchronization
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import GeofenceAgent

/// A control loop over a queue in memory, fed by hand, with a clock that moves when told to.
struct AgentFixture {
    let time: ManualTimekeeper
    let hub = EventHub()
    let log = LogCollector()
    let executor: any SerialExecutor
    let tracking: TrackingService
    let queueReader: QueueHandle

    /// One fence of 100 m around (10, 20), with a dwell of 20 s.
    static let fence = Fence(
        id: "A", name: "A",
        shape: .circle(center: place(10, 20), radiusMeters: 100),
        dwellSeconds: 20)

    init(
        queue handle: QueueHandle = QueueHandle(), fences: [Fence]? = [AgentFixture.fence],
        server: String? = nil, receiverReport: ReceiverReport = ReceiverReport(),
        isClockSynchronised: Bool = true, isRebooted: Bool = false,
        clock: ManualTimekeeper? = nil, notifications: NotificationSettings? = nil,
        snapshots: (any SnapshotStore)? = nil, breadcrumbs: Double? = nil,
        executor: any SerialExecutor = InlineExecutor()
    ) async {
        self.executor = executor
        time =
            clock
            ?? ManualTimekeeper(
                wallClock: UTCTime(millisecondsSince1970: 1_800_000_000_000),
                isSynchronised: isClockSynchronised)
        if isRebooted { time.reboot(afterMilliseconds: 600_000) }
        queueReader = handle
        var settings = TrackingSettings(
            rules: PipelineRules(), uploadMaxBatch: 200, uploadIntervalSeconds: 0,
            dateFloor: ProjectVersion.dateFloor, fixedFences: fences, serverURL: server,
            deviceID: "test")
        settings.receiverReport = { receiverReport }
        if let notifications { settings.notifications = notifications }
        settings.snapshots = snapshots
        settings.breadcrumbGroupSeconds = breadcrumbs
        tracking = TrackingService(
            queue: SharedQueue(handle),
            settings: settings, hub: hub, time: time, log: log, executor: executor)
        await tracking.restore()
    }

    /// One fix a second at the given distances east of the fence's centre, metres.
    /// `clock` is what the receiver says of the time.
    func drive(_ east: [Double], speed: Double = 10, clock: ReceiverClock = .right) async {
        for meters in east {
            time.advance(milliseconds: 1000)
            let longitude = 20 + meters / 109_639.0
            await tracking.take(
                .fix(
                    Fix(
                        coordinate: Coordinate(latitude: 10, longitude: longitude),
                        time: clock.reading(of: time.wallClock.time),
                        isTimeTrusted: clock != .unknown, uptime: time.uptime,
                        horizontalAccuracy: HorizontalAccuracy(meters: 5, provenance: .receiver),
                        speed: speed, dimension: .threeDimensional, quality: .autonomous,
                        source: .recording)))
        }
    }

    /// In at 10 m/s from 300 m, 40 s inside, and out again.
    func visit(clock: ReceiverClock = .right) async {
        await drive(stride(from: -300.0, through: 0, by: 10).map { $0 }, clock: clock)
        await drive([Double](repeating: 0, count: 40), speed: 0, clock: clock)
        await drive(stride(from: 0.0, through: 300, by: 10).map { $0 }, clock: clock)
    }
}

/// What a receiver says of the time.
enum ReceiverClock: Hashable, Sendable {
    case right
    case unknown
    /// Trusted, and off by so many milliseconds.
    case off(Int64)

    func reading(of time: UTCTime) -> UTCTime? {
        switch self {
        case .right: time
        case .unknown: nil
        case .off(let milliseconds): time.advanced(byMilliseconds: milliseconds)
        }
    }
}

/// A queue that outlives the control loop that uses it, as the one on disk does.
final class QueueHandle: Sendable {
    private let queue: Mutex<InMemoryEventQueue>
    /// Whether commits fail.
    let isBroken = Mutex(false)
    /// Runs in the middle of every commit.
    let onCommit = Mutex<(@Sendable () -> Void)?>(nil)
    /// A kind of event that cannot be written; nil: none.
    let refuses = Mutex<EventKind?>(nil)
    /// Events whose stored bytes are damaged.
    let damaged = Mutex<Set<Int64>>([])

    /// Groups of positions that were to be kept.
    let crumbs = Mutex<[[Breadcrumb]]>([])

    /// What the storage says of itself.
    let health = Mutex(StorageHealth.durable)

    init(_ queue: sending InMemoryEventQueue = InMemoryEventQueue()) {
        self.queue = Mutex(queue)
    }

    /// A call, since a borrow of the mutex in a test that waits crashes Swift 6.0.3.
    func damage(_ keys: Set<Int64>) { damaged.withLock { $0 = keys } }

    func use<Value: Sendable, Failure: Error>(
        _ body: (borrowing InMemoryEventQueue) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try queue.withLock { queue throws(Failure) in try body(queue) }
    }

    var groups: [[Breadcrumb]] { crumbs.withLock { $0 } }

    /// Everything that was committed, as it goes over the wire.
    var events: [WireEvent] {
        use { queue in
            ((try? queue.events(after: 0, limit: 10_000)) ?? []).compactMap {
                try? WireCoding.decode(WireEvent.self, from: $0.payload)
            }
        }
    }

    var kinds: [EventKind] {
        use { (try? $0.events(after: 0, limit: 10_000).map(\.kind)) ?? [] }
    }
}

/// The port over a handle.
final class SharedQueue: EventQueue {
    private let handle: QueueHandle

    init(_ handle: QueueHandle) {
        self.handle = handle
    }

    func commit(_ drafts: [EventDraft], state: StateUpdate) throws(QueueError) -> [Event] {
        handle.onCommit.withLock { $0 }?()
        if handle.isBroken.withLock({ $0 }) { throw .storage(path: "test", detail: "broken") }
        if let kind = handle.refuses.withLock({ $0 }), drafts.contains(where: { $0.kind == kind }) {
            throw .unencodable(detail: kind.rawValue)
        }
        return try handle.use { queue throws(QueueError) in try queue.commit(drafts, state: state) }
    }

    func pending(_ selection: BatchSelection) throws(QueueError) -> [QueuedEvent] {
        try handle.use { queue throws(QueueError) in try queue.pending(selection) }
    }

    func settle(_ settlements: [Settlement], state: StateUpdate) throws(QueueError) {
        try handle.use { queue throws(QueueError) in
            try queue.settle(settlements, state: state)
        }
    }

    var counts: QueueCounts { handle.use { $0.counts } }

    var epoch: String { handle.use { $0.epoch } }

    func events(after key: Int64?, limit: Int) throws(QueueError) -> [QueuedEvent] {
        let damaged = handle.damaged.withLock { $0 }
        return try handle.use { queue throws(QueueError) in
            try queue.events(after: key, limit: limit).map { event in
                var event = event
                if damaged.contains(event.key) { event.payload = Array("{".utf8) }
                return event
            }
        }
    }

    func startOfNewest(_ limit: Int) throws(QueueError) -> Int64 {
        try handle.use { queue throws(QueueError) in try queue.startOfNewest(limit) }
    }

    func positions() throws(QueueError) -> QueuePositions {
        try handle.use { queue throws(QueueError) in try queue.positions() }
    }

    func deadLetters(limit: Int) throws(QueueError) -> [QueuedEvent] {
        try handle.use { queue throws(QueueError) in try queue.deadLetters(limit: limit) }
    }

    var clockAnchors: [ClockAnchor] { handle.use { $0.clockAnchors } }

    func state(_ key: StateKey) throws(QueueError) -> [UInt8]? {
        try handle.use { queue throws(QueueError) in try queue.state(key) }
    }

    var health: StorageHealth { handle.health.withLock { $0 } }

    func keep(_ breadcrumbs: [Breadcrumb]) {
        handle.crumbs.withLock { $0.append(breadcrumbs) }
    }

    func maintain(at now: Uptime) {}

    func close() {}
}

/// Keeps log lines.
final class LogCollector: LogSink {
    private let kept = Mutex<[LogLine]>([])

    func write(_ line: LogLine) { kept.withLock { $0.append(line) } }

    var lines: [LogLine] { kept.withLock { $0 } }
}

/// Runs an actor's jobs where they are enqueued, one after the other.
final class InlineExecutor: SerialExecutor {
    private let lock = Mutex(())

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The job may end the actor, and with it the last hold on this executor and its lock.
        let hold = Unmanaged.passRetained(self)
        defer { hold.release() }
        lock.withLock { _ in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
}

extension Shape {
    /// The centre of a circle; the fixtures have no other shapes.
    var center: Coordinate {
        guard case .circle(let center, _) = self else {
            return place(0, 0)
        }
        return center
    }
}
