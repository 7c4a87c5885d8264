import Synchronization
import Timekeeping

/// The liveness gate as the parts of a running agent share it. While the machine is suspended nobody
/// works and nobody is late, so its clock is one that stands still then.
final class Liveness: Sendable {
    private let gate = Mutex(LivenessGate())
    private let time: any Timekeeper

    init(time: any Timekeeper) {
        self.time = time
    }

    /// See `LivenessGate.begin`.
    func begin(_ part: AgentPart, within seconds: Double) {
        let now = time.awakeMilliseconds
        gate.withLock { $0.begin(part, atMilliseconds: now, within: seconds) }
    }

    func rest(_ part: AgentPart) {
        gate.withLock { $0.rest(part) }
    }

    /// Notes the work of a part for as long as `work` runs.
    func during<Value, Failure: Error>(
        _ part: AgentPart, within seconds: Double, _ work: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        begin(part, within: seconds)
        defer { rest(part) }
        return try work()
    }

    func stuck(patienceSeconds: Double) -> [AgentPart] {
        let now = time.awakeMilliseconds
        return gate.withLock { $0.stuck(atMilliseconds: now, patienceSeconds: patienceSeconds) }
    }
}
