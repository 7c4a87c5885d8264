/// A part of the agent that must go on for the agent to be of use.
public enum AgentPart: String, Sendable, CaseIterable {
    /// Takes in fixes and decides.
    case controlLoop = "control loop"
    /// Puts decisions on disk.
    case writer
    /// Takes events to the server.
    case uploader
    /// Asks the server for fences.
    case fenceSync = "fence sync"
}
