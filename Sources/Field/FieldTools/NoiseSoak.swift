import Delivery
import Geodesy
import GeofenceAgent
import Geofencing
import Positioning
import Simulation
import Timekeeping

/// Fences under a receiver whose error wanders: what the agent's pipeline tells that is not so, and
/// what it misses; beside it the engines of `SimpleEngine` on the same fixes.
///
/// The error of an axis is a Gauss-Markov process with a time constant of 45 s, or that with a
/// fifth of the variance and one of 40 min with the rest. The same seed gives the same figures.
public struct NoiseSoak: Sendable {
    public struct Environment: Sendable {
        public var name: String
        /// Metres, of one axis.
        public var sigma: Double
    }

    public static let environments = [
        Environment(name: "open sky", sigma: 2.5), Environment(name: "suburb", sigma: 5),
        Environment(name: "urban", sigma: 12), Environment(name: "canyon", sigma: 20),
    ]
    /// Metres inside the edge where the device is parked.
    public static let placements: [Double] = [-40, -20, -12, -6, 0, 6, 12, 20, 40]
    /// 68 % radius over the sigma of one axis.
    public static let radius68PerSigma = 1.51
    static let radiusMeters = 100.0

    public var environment: Environment
    /// Share of the variance that drifts slowly, 0 or 0.8.
    public var slowShare = 0.0
    /// Claimed over true accuracy.
    public var claim = 1.0
    public var seed: UInt64

    public init(_ environment: Environment, slowShare: Double = 0, claim: Double = 1, seed: UInt64)
    {
        self.environment = environment
        self.slowShare = slowShare
        self.claim = claim
        self.seed = seed
    }

    var accuracy: Double { max(3, environment.sigma * Self.radius68PerSigma * claim) }

    /// Counts for one placement.
    public struct Parked: Hashable, Sendable {
        /// Transitions beside the one true arrival.
        public var falseTransitions = 0
        /// Dwells outside.
        public var falseVisits = 0
        /// Of each of `SimpleEngine.allCases`, its changes beside the true arrival.
        public var simple = [Int](repeating: 0, count: SimpleEngine.allCases.count)
    }

    /// Arrives, and stands for some hours at each placement.
    public func parked(hours: Double) -> [Parked] {
        var receiver = SoakReceiver(self, stream: 7)
        let circles = Self.placements.map {
            SoakCircle(east: Self.radiusMeters - $0, radius: Self.radiusMeters)
        }
        var bench = SoakBench(circles, dwellSeconds: 300, frame: receiver.frame)
        var result = Self.placements.map { _ in Parked() }
        var arrivals = Self.placements.map { placement in
            [Bool](repeating: placement > 0, count: SimpleEngine.allCases.count + 1)
        }
        for second in 0..<max(60, Int(hours * 3600)) {
            // It comes from the north, outside every fence.
            let north = Double(max(0, 60 - second)) * 12
            let fix = receiver.next(
                at: Double(second), east: 0, north: north, speed: north > 0 ? 12 : nil)
            let seen = bench.take(fix, accuracy: accuracy, at: Double(second))
            for transition in seen.transitions {
                guard let index = Int(transition.fenceID) else { continue }
                if transition.kind == .dwell {
                    if Self.placements[index] <= 0 { result[index].falseVisits += 1 }
                } else if transition.kind == .enter, arrivals[index][0] {
                    arrivals[index][0] = false
                } else {
                    result[index].falseTransitions += 1
                }
            }
            for change in seen.changes {
                if change.isInside, arrivals[change.circle][change.engine + 1] {
                    arrivals[change.circle][change.engine + 1] = false
                } else {
                    result[change.circle].simple[change.engine] += 1
                }
            }
        }
        return result
    }

    /// Found, and how late, seconds.
    public struct Detection: Hashable, Sendable {
        public var trials = 0
        public var delays: [Double] = []
        /// Trials that told something else besides.
        public var odd = 0
        /// Trials in which the way that the receiver reported runs through the circle.
        public var reported = 0

        public var share: Double { trials == 0 ? 0 : Double(delays.count) / Double(trials) }

        /// The most that can be found without claiming what no fix shows.
        public var reportedShare: Double { trials == 0 ? 0 : Double(reported) / Double(trials) }

        /// Nearest rank, 0 ... 1; nil: nothing was found.
        public func delay(_ quantile: Double) -> Double? {
            guard !delays.isEmpty else { return nil }
            let sorted = delays.sorted()
            let rank = Int((quantile * Double(sorted.count)).rounded(.up))
            return sorted[min(sorted.count - 1, max(0, rank - 1))]
        }
    }

    /// Drives through a circle of 50 m at 25 m/s, up to `besideMeters` beside its middle, with one
    /// fix in `periodSeconds`. First the pipeline, then each of `SimpleEngine.allCases`.
    public func driveThroughs(
        periodSeconds period: Double, trials: Int, besideMeters: Double = 15
    ) -> [Detection] {
        var result = [Detection](repeating: Detection(), count: SimpleEngine.allCases.count + 1)
        for trial in 0..<trials {
            var receiver = SoakReceiver(self, stream: 1000 + UInt64(trial))
            let phase = receiver.random.uniform() * period
            let lateral = besideMeters * receiver.random.uniform(in: -1..<1)
            var bench = SoakBench(
                [SoakCircle(east: 0, radius: 50)], dwellSeconds: nil, frame: receiver.frame)
            var kinds: [Transition.Kind] = []
            var found = [Double?](repeating: nil, count: result.count)
            let entered = -(2500 - lateral * lateral).squareRoot() / 25
            for step in period > 1 ? -8...8 : -32...32 {
                let time = Double(step) * period + phase
                let fix = receiver.next(
                    at: 1000 + time, east: time * 25, north: lateral, speed: 25,
                    elapsed: period)
                let seen = bench.take(fix, accuracy: accuracy, at: time)
                for transition in seen.transitions {
                    kinds.append(transition.kind)
                    found[0] = found[0] ?? time - entered
                }
                for change in seen.changes where change.isInside {
                    found[change.engine + 1] = found[change.engine + 1] ?? time - entered
                }
            }
            if kinds != [.pass], kinds != [.enter, .exit], !kinds.isEmpty { result[0].odd += 1 }
            if kinds != [.pass], kinds != [.enter, .exit] { found[0] = nil }
            if bench.hasReportedWayInside { result[0].reported += 1 }
            for (index, delay) in found.enumerated() { result[index].take(delay) }
        }
        return result
    }

    /// Arrives at 10 m/s and parks so many metres inside the edge of a circle of 100 m; found
    /// within 10 min. First the pipeline, then each of `SimpleEngine.allCases`.
    public func arrivals(depthMeters depth: Double, trials: Int) -> [Detection] {
        var result = [Detection](repeating: Detection(), count: SimpleEngine.allCases.count + 1)
        for trial in 0..<trials {
            var receiver = SoakReceiver(self, stream: 5000 + UInt64(trial))
            var bench = SoakBench(
                [SoakCircle(east: Self.radiusMeters, radius: Self.radiusMeters)],
                dwellSeconds: nil, frame: receiver.frame)
            var found = [Double?](repeating: nil, count: result.count)
            let entered = 60 - depth / 10
            for second in 0..<660 {
                let rest = Double(max(0, 60 - second)) * 10
                let fix = receiver.next(
                    at: Double(second), east: depth - rest, north: 0, speed: rest > 0 ? 10 : nil)
                let seen = bench.take(fix, accuracy: accuracy, at: Double(second))
                if seen.transitions.contains(where: { $0.kind == .enter }) {
                    found[0] = found[0] ?? Double(second) - entered
                }
                for change in seen.changes where change.isInside {
                    found[change.engine + 1] = found[change.engine + 1] ?? Double(second) - entered
                }
            }
            for (index, delay) in found.enumerated() { result[index].take(delay) }
        }
        return result
    }
}

extension NoiseSoak.Detection {
    fileprivate mutating func take(_ delay: Double?) {
        trials += 1
        if let delay { delays.append(delay) }
    }
}
