import Delivery
import Geodesy
import Simulation
import Timekeeping

/// Many devices that come back after the same outage, each with the agent's own upload planner.
public struct HerdBench: Sendable {
    /// What failed, and what a device does about it.
    public enum Case: String, CaseIterable, Sendable {
        /// The network of every device comes back at the same moment.
        case linkUp = "link-up, spread over 10 s"
        /// The agent's own planner, told to spread over nothing.
        case linkUpAtOnce = "link-up without spread (no device of ours)"
        case server = "server back, full jitter to 300 s"
        case serverFixed = "server back, every 30 s (no device of ours)"
        /// The server takes 100 requests a second and answers 503 to the rest.
        case weakServer = "server back, takes 100 a second"
        case linkUpToWeakServer = "link-up, server takes 100 a second"

        fileprivate var isLinkUp: Bool {
            self == .linkUp || self == .linkUpAtOnce || self == .linkUpToWeakServer
        }

        fileprivate var capacity: Int {
            self == .weakServer || self == .linkUpToWeakServer ? 100 : .max
        }
    }

    public struct Result: Sendable {
        /// Requests in the worst second after the end of the outage.
        public var worstSecond = 0
        /// Requests until everything was delivered.
        public var requests = 0
        /// Seconds after the end of the outage until so many devices had delivered.
        public var halfSeconds: Int?
        public var nearlyAllSeconds: Int?
        public var allSeconds: Int?
    }

    public let devices: Int
    public let outageSeconds: Int
    private let seed: UInt64
    /// After the outage, seconds.
    private static let limit = 3 * 3600

    public init(devices: Int, outageSeconds: Int, seed: UInt64) {
        self.devices = devices
        self.outageSeconds = outageSeconds
        self.seed = seed
    }

    private struct Device {
        var planner: UploadPlanner
        var random: SeededGenerator
        var batch: OutgoingBatch
        /// Milliseconds.
        var next: Int64
    }

    /// One event of each device, made at some time of the outage.
    public func run(_ kind: Case) -> Result {
        kind == .serverFixed ? runFixed() : runPlanners(kind)
    }

    private func runFixed() -> Result {
        var random = SeededGenerator(seed: seed, stream: 30)
        var perSecond = [Int](repeating: 0, count: 31)
        for _ in 0..<devices { perSecond[Int(random.uniform(in: 0..<30))] += 1 }
        return count(perSecond, perSecond)
    }

    private func runPlanners(_ kind: Case) -> Result {
        var herd = (0..<devices).map(device)
        let end = Int64(outageSeconds) * 1000
        var due = [[Int]](repeating: [], count: outageSeconds + Self.limit + 1)
        for index in herd.indices { due[Int(herd[index].next / 1000)].append(index) }
        var requests = [Int](repeating: 0, count: Self.limit + 1)
        var delivered = requests
        for second in 0..<(outageSeconds + Self.limit) {
            if kind.isLinkUp, second == outageSeconds {
                // Everything that waits is woken; nothing is before its next bucket.
                for bucket in second..<due.count { due[bucket].removeAll() }
                for index in herd.indices {
                    wake(&herd[index], at: end, isSpread: kind != .linkUpAtOnce)
                    due[min(Int(herd[index].next / 1000), due.count - 1)].append(index)
                }
            }
            var served = 0
            while !due[second].isEmpty {
                let now = due[second]
                due[second] = []
                for index in now {
                    let isBack = second >= outageSeconds
                    let outcome = self.outcome(
                        for: herd[index], isBack: isBack, isServed: served < kind.capacity, kind)
                    if isBack { served += 1 }
                    if isBack { requests[second - outageSeconds] += 1 }
                    if take(outcome, &herd[index]) {
                        delivered[second - outageSeconds] += 1
                    } else {
                        due[min(Int(herd[index].next / 1000), due.count - 1)].append(index)
                    }
                }
            }
        }
        return count(requests, delivered)
    }

    private func device(_ index: Int) -> Device {
        var random = SeededGenerator(seed: seed, stream: UInt64(index) + 1000)
        let made = Int64(random.uniform() * Double(outageSeconds) * 1000)
        let event = QueuedEvent(
            key: 1, clientEventID: "e", position: QueuePosition(epoch: "0", sequence: 1),
            kind: .enter, payload: [])
        return Device(
            planner: UploadPlanner(batchPrefix: "h"), random: random,
            batch: OutgoingBatch(
                batchID: "h", events: [event], counts: QueueCounts(enqueued: 1, pending: 1),
                clockAnchors: []), next: made)
    }

    private func wake(_ device: inout Device, at time: Int64, isSpread: Bool) {
        let now = Uptime(milliseconds: time)
        device.planner.networkChanged(
            hasRoute: true, at: now, random: isSpread ? device.random.uniform() : 0)
        if case .wait(let until) = device.planner.step(at: now, pendingCount: 1) {
            device.next = until.milliseconds
        } else {
            device.next = time
        }
    }

    private func outcome(
        for device: Device, isBack: Bool, isServed: Bool, _ kind: Case
    ) -> SendOutcome {
        guard isBack else {
            return kind.isLinkUp
                ? .unreachable(.connectFailed, reason: "-") : .refused(Refusal(status: 503))
        }
        guard isServed else { return .refused(Refusal(status: 503)) }
        return .receipt(Receipt(results: ["e": Receipt.Result(.accepted)]))
    }

    /// One request; true: the event is delivered.
    private func take(_ outcome: SendOutcome, _ device: inout Device) -> Bool {
        let now = Uptime(milliseconds: device.next)
        _ = device.planner.step(at: now, pendingCount: 1)
        let conclusion = device.planner.finished(
            outcome, of: device.batch, at: now, random: device.random.uniform())
        guard conclusion.settlements.isEmpty else { return true }
        guard case .wait(let until) = device.planner.step(at: now, pendingCount: 1) else {
            device.next += 1000
            return false
        }
        device.next = until.milliseconds
        return false
    }

    private func count(_ requests: [Int], _ delivered: [Int]) -> Result {
        var result = Result(
            worstSecond: requests.max() ?? 0, requests: requests.reduce(0, +))
        var sum = 0
        for (second, count) in delivered.enumerated() where count > 0 {
            sum += count
            if result.halfSeconds == nil, 2 * sum >= devices { result.halfSeconds = second }
            if result.nearlyAllSeconds == nil, 100 * sum >= 99 * devices {
                result.nearlyAllSeconds = second
            }
            if sum == devices { result.allSeconds = second }
        }
        return result
    }

    /// All cases as a table.
    public func text() -> String {
        var lines = [
            "| \(devices) devices after \(outageSeconds) s | requests in the worst second "
                + "| requests in all | half delivered | 99 % | all |",
            "| --- | --- | --- | --- | --- | --- |",
        ]
        for kind in Case.allCases {
            let result = run(kind)
            let times = [result.halfSeconds, result.nearlyAllSeconds, result.allSeconds]
                .map { $0.map { "\($0) s" } ?? "not in 3 h" }.joined(separator: " | ")
            lines.append(
                "| \(kind.rawValue) | \(result.worstSecond) | \(result.requests) | \(times) |")
        }
        return lines.joined(separator: "\n")
    }
}
