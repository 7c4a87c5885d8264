import Delivery
import WireFormat

/// What a program that embeds the agent is told; errors come apart from these.
public enum AgentEvent: Hashable, Sendable {
    /// A fence is monitored from now on.
    case registered(fenceID: String)
    /// A fence is no longer monitored.
    case unregistered(fenceID: String)
    case entered(WireEvent)
    /// The device has stayed inside for the fence's dwell time.
    case dwell(WireEvent)
    case exited(WireEvent)
    /// The device was inside for less time than it takes to confirm an enter.
    case pass(WireEvent)

    /// Nil for what is no event of a fence.
    init?(_ event: WireEvent) {
        switch EventKind(rawValue: event.type) {
        case .enter: self = .entered(event)
        case .dwell: self = .dwell(event)
        case .exit: self = .exited(event)
        case .pass: self = .pass(event)
        case .visitStarted, .visitEnded, .coverageLost, .coverageRestored, .queueEvicted,
            .stateReset, .moved, nil:
            return nil
        }
    }
}

/// Something that a person should know; the agent goes on.
public struct AgentError: Error, Hashable, Sendable {
    /// Stable: `storage`, `diskFull`, `storageReadOnly`, `slow_subscriber`.
    public var code: String
    public var message: String

    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}
