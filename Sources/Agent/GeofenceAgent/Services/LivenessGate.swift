/// Which of the agent's parts are stuck; decides whether the service manager's watchdog is told that
/// all is well.
///
/// Invariants:
/// - A part is judged by its own work only. Waiting for a server or a fix is no work: nothing that
///   comes from outside can make a healthy agent look stuck.
/// - Every piece of work has a moment at which it should be over; a part without work is not stuck.
struct LivenessGate: Sendable {
    /// On a clock that stands still while the machine is suspended.
    private var due: [AgentPart: Int64] = [:]

    /// A piece of work begins that is over within `seconds`; it replaces the part's last one.
    mutating func begin(_ part: AgentPart, atMilliseconds now: Int64, within seconds: Double) {
        due[part] = now + Int64(min(seconds, 1e9) * 1000)
    }

    /// The part has no work.
    mutating func rest(_ part: AgentPart) {
        due[part] = nil
    }

    /// Parts whose work should have been over more than `patienceSeconds` ago, in the order of their
    /// declaration.
    func stuck(atMilliseconds now: Int64, patienceSeconds: Double) -> [AgentPart] {
        AgentPart.allCases.filter { part in
            due[part].map { Double(now - $0) / 1000 > patienceSeconds } ?? false
        }
    }
}
