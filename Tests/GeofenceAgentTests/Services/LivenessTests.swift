import Delivery
import Simulation
import Synchronization
import TestSupport
import Testing
import Timekeeping

@testable import GeofenceAgent

@Suite("Who is stuck, and what the watchdog hears")
struct LivenessTests {
    static func at(_ seconds: Double) -> Int64 { Int64(seconds * 1000) }

    @Test(
        "a part is stuck when its work should have been over for longer than the patience",
        arguments: [
            (9.0, 0.0, false), (10, 0, false), (10.1, 0, true), (39, 30, false), (40, 30, false),
            (40.1, 30, true),
        ])
    func overdue(now: Double, patience: Double, isStuck: Bool) {
        var gate = LivenessGate()
        gate.begin(.uploader, atMilliseconds: Self.at(0), within: 10)
        let stuck = gate.stuck(atMilliseconds: Self.at(now), patienceSeconds: patience)
        #expect(stuck == (isStuck ? [.uploader] : []))
    }

    @Test("a part without work is never stuck, and new work replaces the old")
    func rest() {
        var gate = LivenessGate()
        #expect(gate.stuck(atMilliseconds: Self.at(1e6), patienceSeconds: 0).isEmpty)
        gate.begin(.writer, atMilliseconds: Self.at(0), within: 1)
        gate.rest(.writer)
        #expect(gate.stuck(atMilliseconds: Self.at(1e6), patienceSeconds: 0).isEmpty)
        gate.begin(.writer, atMilliseconds: Self.at(0), within: 1)
        gate.begin(.writer, atMilliseconds: Self.at(100), within: 1)
        #expect(gate.stuck(atMilliseconds: Self.at(101), patienceSeconds: 0).isEmpty)
        #expect(gate.stuck(atMilliseconds: Self.at(102), patienceSeconds: 0) == [.writer])
    }

    @Test("every part is judged by itself, and all are named", arguments: AgentPart.allCases)
    func parts(part: AgentPart) {
        var gate = LivenessGate()
        for other in AgentPart.allCases {
            gate.begin(other, atMilliseconds: Self.at(0), within: 1000)
        }
        gate.begin(part, atMilliseconds: Self.at(0), within: 1)
        #expect(gate.stuck(atMilliseconds: Self.at(10), patienceSeconds: 0) == [part])
    }

    @Test("pings come at half the interval while nothing is stuck, and none while something is")
    func schedule() {
        var schedule = WatchdogSchedule(intervalMilliseconds: 60_000)
        let stuckTimes: Range<Int64> = 100_000..<250_000
        var pings: [Int64] = []
        var warnings: [Int64] = []
        for now in stride(from: Int64(0), through: 400_000, by: Int(schedule.stepMilliseconds)) {
            let stuck: [AgentPart] = stuckTimes.contains(now) ? [.writer] : []
            switch schedule.step(atMilliseconds: now, stuck: stuck) {
            case .ping: pings.append(now)
            case .warn: warnings.append(now)
            case .wait: break
            }
        }
        #expect(!pings.contains { stuckTimes.contains($0) })
        #expect(warnings.count == 1, "one line for one hang")
        #expect(pings.first == 0)
        // Back within one step after the hang.
        #expect(pings.contains { (250_000...253_000).contains($0) })
        let gaps = zip(pings, pings.dropFirst()).map { $1 - $0 }
        #expect(gaps.filter { $0 < 30_000 || $0 > 33_000 }.count <= 2)
        #expect(schedule.patienceSeconds == 30)
    }

    @Test("a machine that was suspended for hours has nobody who is stuck, until they are")
    func suspension() {
        let time = ManualTimekeeper(wallClock: UTCTime(millisecondsSince1970: 0))
        let liveness = Liveness(time: time)
        for part in AgentPart.allCases { liveness.begin(part, within: 60) }
        time.advance(milliseconds: 30_000)
        time.suspend(milliseconds: 10 * 3_600_000)
        #expect(liveness.stuck(patienceSeconds: 0).isEmpty)
        time.advance(milliseconds: 29_000)
        #expect(liveness.stuck(patienceSeconds: 0).isEmpty)
        time.advance(milliseconds: 2000)
        #expect(liveness.stuck(patienceSeconds: 0) == AgentPart.allCases)
        #expect(liveness.stuck(patienceSeconds: 30).isEmpty)
    }

    @Test("a commit that hangs makes the writer stuck, and only while it hangs")
    func hangingCommit() async {
        let agent = await AgentFixture()
        let (time, liveness) = (agent.time, agent.tracking.liveness)
        agent.queueReader.onCommit.withLock { hook in
            hook = {
                time.advance(milliseconds: 31_000)
                #expect(liveness.stuck(patienceSeconds: 30) == [.writer])
                #expect(liveness.stuck(patienceSeconds: 32).isEmpty)
            }
        }
        await agent.visit()
        #expect(!agent.queueReader.kinds.isEmpty)
        #expect(liveness.stuck(patienceSeconds: 0).isEmpty)
    }
}
