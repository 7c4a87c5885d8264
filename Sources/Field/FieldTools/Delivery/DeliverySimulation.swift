import Delivery
import GeofenceAgent
import Geofencing
import Simulation
import Timekeeping

/// Queue, uploader, server and clocks of one device in virtual time, under faults drawn from a seed.
///
/// Planner, retry delay, connectivity, receipts and the account of clock anchors are the agent's own;
/// the queue is the one that `storage` holds. After each step every promise is checked: the four
/// counters, that nothing leaves without the server's word, order, state and events in one
/// transaction, one request at a time and none before its time. In the end, with a clean network,
/// everything is stored once.
public struct DeliverySimulation {
    /// What a run came to.
    public struct Outcome: Sendable {
        public var seed: UInt64
        public var climate: String
        /// What did not hold; nil: everything did.
        public var violation: String?
        public var steps = 0
        public var requests = 0
        public var events = 0
        /// Starts of the agent.
        public var starts = 0
        /// From the end of the faults to the first receipt, where nothing but the backoff was to be
        /// waited for; nil: something was, or nothing was left.
        public var firstReceiptSeconds: Double?
    }

    let seed: UInt64
    let climate: DeliveryClimate
    let storage: any SimulatedStorage
    let trace: ((String) -> Void)?
    var random: SeededGenerator
    let clock: ManualTimekeeper
    /// True time since the start, milliseconds.
    var now: Int64 = 0
    var suspended: Int64 = 0

    var queue: (any EventQueue)?
    var planner: UploadPlanner
    var policy: UploadPolicy
    var outbox = QueueOutbox()
    var watch = NetworkWatch(at: 0)
    var gate: RequestGate
    var account = DeliveryAccount()
    var network: SimulatedNetwork
    var outcome: Outcome

    var running: RunningRequest?
    /// When the uploader looks next, if the agent runs.
    var wakeAt: Int64 = 0
    /// When the agent starts.
    var startAt: Int64 = 0
    /// When the kernel's word of a change is looked into; nil: there was none.
    var lookAt: Int64?
    var incidentAt: Int64 = 0
    var isTimeKnown: Bool
    var drafted: Int64 = 0
    /// When the faults end, milliseconds.
    let calmAt: Int64
    var isFirstReceiptDue = false
    var nextProbe: Int64 = 0
    /// What was tried since the faults ended.
    var probes = 0

    /// The true time at the start.
    static let epoch = UTCTime(millisecondsSince1970: 1_800_000_000_000)
    static let hour: Int64 = 3_600_000
    /// Steps after which a run is taken for one that never comes to rest.
    private static let stepLimit = 50_000
    /// How long everything may take once the network is clean, milliseconds.
    private static let calmLimit = 40 * hour

    /// `storage` makes the queue for a capacity in events; nil: the simulated one.
    public init(
        seed: UInt64, trace: ((String) -> Void)? = nil,
        storage: (() -> any SimulatedStorage)? = nil
    ) {
        var random = SeededGenerator(seed: seed, stream: 7)
        climate = DeliveryClimate(&random)
        self.seed = seed
        self.trace = trace
        self.storage =
            storage?()
            ?? SimulatedDiskStorage(SimulatedDisk(name: seed & 0xFFFF, capacity: climate.capacity))
        policy = climate.policy
        planner = UploadPlanner(policy: policy, batchPrefix: "r0")
        gate = RequestGate(capSeconds: policy.backoffCapSeconds)
        isTimeKnown = climate.isClockKnown
        calmAt = Int64(climate.hours * 3_600_000)
        clock = ManualTimekeeper(
            wallClock: climate.isClockKnown ? Self.epoch : UTCTime(millisecondsSince1970: 0),
            isSynchronised: climate.isClockKnown)
        var server = SimulatedServer()
        server.greatestBatch = climate.greatestBatch
        server.blamesEvents = random.uniform() < 0.5
        server.hearsHeartbeats = random.uniform() < 0.8
        network = SimulatedNetwork(
            server: server, faults: climate.faults, faultRate: climate.faultRate)
        outcome = Outcome(seed: seed, climate: climate.kind.rawValue)
        self.random = random
    }

    /// Runs to the end, or to the first promise that does not hold.
    public mutating func run() -> Outcome {
        say(
            "climate \(climate.kind.rawValue), \(climate.faults.map(\.rawValue)), "
                + "fault rate \(climate.faultRate)")
        do {
            while try step() { try checkStep() }
            try account.checkEnd(network.server) { Self.epoch.advanced(byMilliseconds: $0) }
        } catch {
            outcome.violation = "\(error)"
            say("VIOLATION: \(error)")
        }
        outcome.events = account.records.count
        return outcome
    }

    private func checkStep() throws {
        if let contradiction = network.server.contradiction {
            throw DeliveryViolation(contradiction)
        }
        if let queue { try account.check(queue.counts) }
    }

    /// Goes to the next thing that happens and lets it; false: everything is done.
    private mutating func step() throws -> Bool {
        outcome.steps += 1
        guard outcome.steps < Self.stepLimit, now < calmAt + Self.calmLimit else {
            throw DeliveryViolation("it does not come to rest: \(account.counts.pending) pending")
        }
        var next = network.isCalm ? nextProbe : min(incidentAt, calmAt)
        if queue == nil { next = min(next, startAt) }
        if let lookAt, queue != nil { next = min(next, lookAt) }
        if let first = network.late.first { next = min(next, first.at) }
        if let running {
            next = min(next, running.endsAt)
        } else if queue != nil {
            next = min(next, wakeAt)
        }
        pass(to: max(next, now))
        if let batch = network.takeLate(at: now) {
            say("the delayed request \(batch.batchID) arrives")
            return true
        }
        if queue == nil, startAt <= now {
            try start()
            return true
        }
        if let lookAt, lookAt <= now, queue != nil {
            look()
            return true
        }
        if let running, running.endsAt <= now {
            try end(running)
            return true
        }
        if queue != nil, running == nil, wakeAt <= now {
            try turn()
            return !isDone
        }
        if network.isCalm {
            try probe()
        } else if now >= calmAt {
            try calm()
        } else {
            try incident()
        }
        return true
    }

    private mutating func pass(to time: Int64) {
        clock.advance(milliseconds: time - now)
        now = time
    }

    func say(_ text: @autoclosure () -> String) {
        guard let trace else { return }
        let seconds = now / 1000
        let rest = String(now % 1000 + 1000).dropFirst()
        trace("\(seconds).\(rest) \(text())")
    }
}
