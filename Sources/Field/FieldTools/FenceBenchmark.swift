import Delivery
import Geodesy
import GeofenceAgent
import Geofencing
import Positioning
import Timekeeping

/// The whole decision of every fix of a drive, for measuring its speed: quality gate, 18 signed
/// distances, state machine; and the same through the pipeline of the agent, as a replay runs it.
public struct FenceBenchmark: Sendable {
    public let town: BenchmarkTown
    private let prepared: [PreparedFence]

    /// Throws only for a town whose fences cannot be measured.
    public init(_ town: BenchmarkTown) throws(ShapeError) {
        self.town = town
        var prepared: [PreparedFence] = []
        for fence in town.fences { prepared.append(try PreparedFence(fence)) }
        self.prepared = prepared
    }

    public var fixes: Int { town.samples.count }

    /// What a pass decided.
    public struct Run: Hashable, Sendable {
        public var transitions = 0
        /// Mixed from kind, fence and moment of every transition.
        public var digest: UInt64 = 0

        mutating func take(_ found: [Transition]) {
            for transition in found {
                transitions += 1
                add(UInt64(truncatingIfNeeded: transition.occurred.uptime?.milliseconds ?? -1))
                add(UInt64(truncatingIfNeeded: transition.detected.uptime?.milliseconds ?? -1))
                for byte in transition.kind.rawValue.utf8 { add(UInt64(byte)) }
                for byte in transition.fenceID.utf8 { add(UInt64(byte)) }
            }
        }

        private mutating func add(_ value: UInt64) {
            digest = (digest ^ value) &* 0x100_0000_01b3
        }
    }

    /// The gate and the tracker.
    ///
    /// - Parameter isExhaustive: measures every fence at every fix, however far away it is.
    public func decide(isExhaustive: Bool = false) -> Run {
        var filter = FixFilter()
        var tracker = FenceTracker()
        _ = tracker.setFences(prepared, at: Moment(uptime: Uptime(milliseconds: 0), utc: nil))
        tracker.setMonitored(Array(prepared.indices), at: Uptime(milliseconds: 0))
        var run = Run()
        for index in town.samples.indices {
            let judged = filter.ingest(town.fix(index))
            if isExhaustive { tracker.forgetDistances() }
            for released in judged.released { run.take(tracker.ingest(released)) }
            run.take(tracker.ingest(judged.latest))
        }
        return run
    }

    /// The agent's pipeline, event drafts and checkpoints included.
    public func replay() -> Run {
        var pipeline = TrackingPipeline(bootID: BootID("00000000000000000000000000000000"))
        let clock = WallClockReading(time: BenchmarkTown.start, isSynchronised: true)
        var run = Run()
        run.take(
            pipeline.replaceFences(town.fences, at: Uptime(milliseconds: 0), wallClock: clock)
                .transitions)
        for index in town.samples.indices {
            run.take(pipeline.ingest(town.fix(index), wallClock: clock).transitions)
        }
        return run
    }

    /// The figures as one JSON object, or as words. Seconds: of the best pass.
    public func report(
        _ run: Run, decisionSeconds: Double, replaySeconds: Double, asJSON: Bool
    ) -> String {
        let perFix = tenths(decisionSeconds * 1e9 / Double(max(1, fixes)))
        let perSecond = Int((Double(fixes) / max(replaySeconds, 1e-9)).rounded())
        guard asJSON else {
            return "\(perFix) ns a fix for the whole decision about \(prepared.count) fences, "
                + "\(perSecond) fixes a second through the pipeline "
                + "(\(fixes) fixes, \(run.transitions) transitions)"
        }
        return "{\"bench\":\"fences\",\"ns_per_fix\":\(perFix),"
            + "\"replay_fixes_per_s\":\(perSecond),\"fences\":\(prepared.count),"
            + "\"fixes\":\(fixes),\"transitions\":\(run.transitions),"
            + "\"digest\":\"\(String(run.digest, radix: 16))\"}"
    }

    private func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
