import Delivery
import Simulation

/// What one simulated device meets; everything is drawn from its seed.
struct DeliveryClimate {
    /// What a run is about.
    enum Kind: String, CaseIterable {
        /// A bit of everything.
        case mixed
        /// Six hours in which six of ten requests fail, then none.
        case stuck
        /// Half a day in which every request fails in the same way.
        case outage
        /// A server that refuses some events, or for a while everything.
        case poison
        /// The agent and its machine end again and again, within transactions as well.
        case crashes
        /// Clocks that jump, machines that sleep, receivers that learn the time late.
        case clocks
        /// More events than there is room for.
        case overflow
    }

    /// What happens in the world, apart from the requests.
    enum Incident: Int, CaseIterable {
        case events, link, kill, restart, reboot, suspend, wallClock, learnTime, mood, configure
        case flush, damage
    }

    let kind: Kind
    let hours: Double
    let incidents: Int
    /// Weight of each incident.
    let weights: [Double]
    /// How many requests of a hundred meet a fault.
    let faultRate: Double
    let faults: [RequestFault]
    let policy: UploadPolicy
    let capacity: Int
    let greatestBatch: Int
    let poisonRate: Double
    let unwantedRate: Double
    let isClockKnown: Bool

    init(_ random: inout SeededGenerator) {
        kind = Self.draw(
            [
                (Kind.mixed, 40), (.stuck, 8), (.outage, 4), (.poison, 14), (.crashes, 14),
                (.clocks, 10), (.overflow, 10),
            ], &random)
        (hours, incidents) = Self.length(kind, &random)
        weights = Self.weights(kind)
        (faultRate, faults) = Self.faults(kind, &random)
        policy = UploadPolicy(
            maxBatch: Self.pick([1, 3, 10, 50, 200], &random),
            intervalSeconds: Self.pick([0, 5, 60], &random),
            backoffCapSeconds: kind == .stuck || kind == .outage
                ? 300 : Self.pick([60, 300, 300, 900], &random),
            heartbeatSeconds: Self.pick([nil, nil, 300, 3600], &random))
        capacity = kind == .overflow ? Int.random(in: 10...30, using: &random) : .max
        greatestBatch =
            kind == .mixed && random.uniform() < 0.2 ? Int.random(in: 1...8, using: &random) : .max
        poisonRate = kind == .poison ? 0.1 : kind == .mixed ? 0.01 : 0
        unwantedRate = kind == .poison ? 0.05 : kind == .mixed ? 0.01 : 0
        isClockKnown = kind != .clocks && random.uniform() < 0.7
    }

    private static func length(
        _ kind: Kind, _ random: inout SeededGenerator
    ) -> (Double, Int) {
        switch kind {
        case .mixed: (random.uniform(in: 0.2..<3), Int.random(in: 20...60, using: &random))
        case .stuck: (6, 25)
        case .outage: (random.uniform(in: 6..<10), 6)
        case .poison: (random.uniform(in: 0.2..<1), 25)
        case .crashes: (random.uniform(in: 0.1..<0.6), 50)
        case .clocks: (random.uniform(in: 0.5..<3), 40)
        case .overflow: (random.uniform(in: 0.2..<1), 50)
        }
    }

    private static func weights(_ kind: Kind) -> [Double] {
        //  events link kill restart reboot suspend wall learn mood configure flush damage
        switch kind {
        case .mixed: [30, 12, 3, 2, 1, 2, 3, 2, 8, 2, 2, 0.7]
        case .stuck: [30, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        case .outage: [30, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0]
        case .poison: [40, 0, 2, 1, 0, 0, 0, 0, 8, 0, 1, 0]
        case .crashes: [30, 3, 20, 4, 4, 0, 0, 3, 3, 0, 0, 3]
        case .clocks: [30, 4, 4, 1, 5, 8, 16, 6, 2, 0, 0, 0]
        case .overflow: [60, 6, 4, 1, 1, 0, 0, 1, 3, 0, 0, 2]
        }
    }

    private static func faults(
        _ kind: Kind, _ random: inout SeededGenerator
    ) -> (Double, [RequestFault]) {
        switch kind {
        case .stuck: return (0.6, RequestFault.passing)
        case .outage: return (1, [pick(RequestFault.lasting, &random)])
        case .poison: return (pick([0, 0.1], &random), RequestFault.passing)
        case .mixed, .crashes, .clocks, .overflow:
            let mask = random.next()
            let some = RequestFault.allCases.enumerated()
                .filter { mask >> UInt64($0.offset) & 1 == 1 }.map(\.element)
            return (
                pick([0, 0.2, 0.6, 0.9], &random), some.isEmpty ? RequestFault.passing : some
            )
        }
    }

    /// The next incident.
    func incident(_ random: inout SeededGenerator) -> Incident {
        Self.draw(Array(zip(Incident.allCases, weights)), &random)
    }

    static func pick<Value>(_ values: [Value], _ random: inout SeededGenerator) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    private static func draw<Value>(
        _ weighted: [(Value, Double)], _ random: inout SeededGenerator
    ) -> Value {
        var left = random.uniform() * weighted.reduce(0) { $0 + $1.1 }
        for (value, weight) in weighted {
            left -= weight
            if left < 0 { return value }
        }
        return weighted[0].0
    }
}
