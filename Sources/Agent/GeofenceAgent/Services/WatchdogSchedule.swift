/// When the service manager's watchdog is told that the agent advances.
///
/// Invariant: nothing is told while a part is stuck; otherwise it is told at half the interval.
public struct WatchdogSchedule: Sendable {
    /// Milliseconds within which the manager wants to hear something.
    public let intervalMilliseconds: Int64
    private var lastPing: Int64?
    private var knownStuck: [AgentPart] = []

    public init(intervalMilliseconds: Int64) {
        self.intervalMilliseconds = intervalMilliseconds
    }

    public enum Action: Hashable, Sendable {
        case ping
        /// It is too early to say anything.
        case wait
        /// These are newly found to be stuck; say it in the journal, and nothing to the watchdog.
        case warn([AgentPart])
    }

    /// What to do at a moment of a monotonic clock. Call it every `stepMilliseconds`.
    public mutating func step(atMilliseconds now: Int64, stuck: [AgentPart]) -> Action {
        defer { knownStuck = stuck }
        guard stuck.isEmpty else { return stuck == knownStuck ? .wait : .warn(stuck) }
        if let lastPing, now - lastPing < intervalMilliseconds / 2 { return .wait }
        lastPing = now
        return .ping
    }

    /// Small against half the interval, so that a ping is late by little, and a part that was stuck
    /// for a moment only costs nothing.
    public var stepMilliseconds: Int64 { min(max(intervalMilliseconds / 20, 50), 3000) }

    /// How long a part may be late. With it a stuck agent is started again after one to two
    /// intervals.
    public var patienceSeconds: Double { Double(intervalMilliseconds) / 2000 }
}
