/// How a source of fixes is doing, with a reason that a person can act on.
public struct SourceHealth: Hashable, Sendable {
    public var state: State
    /// One sentence for a person: what was seen and what to check. Empty only for `.fix`.
    public var reason: String

    public init(_ state: State, _ reason: String) {
        self.state = state
        self.reason = reason
    }

    public enum State: String, Hashable, Sendable, CaseIterable {
        case noDevice, permissionDenied, portBusy, opening, noData, wrongBaud, noFix, fix, stale
        case frozen
    }
}
