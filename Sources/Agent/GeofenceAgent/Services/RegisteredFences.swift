/// The fences that are monitored now, and where they came from.
public struct RegisteredFences: Hashable, Sendable {
    /// Nearest first.
    public var fences: [Fence]
    public var source: Source

    public struct Fence: Hashable, Sendable {
        public var id: String
        public var name: String
    }

    public enum Source: String, Hashable, Sendable {
        /// The server has answered since the start.
        case server
        /// The server's last answer to an earlier run.
        case cache
        /// `fences_file` of the configuration.
        case file
        /// There are none yet.
        case none
    }
}

extension TrackingService {
    /// Before the first fix nobody knows which fences are nearest: all count, up to the limit.
    var registeredFences: RegisteredFences {
        let status = pipeline.status(at: time.uptime)
        var registered = status.fences.filter(\.isMonitored)
        if registered.isEmpty, status.lastFix == nil {
            registered = Array(status.fences.prefix(pipeline.rules.fenceLimit))
        }
        return RegisteredFences(
            fences: registered.map { RegisteredFences.Fence(id: $0.id, name: $0.name) },
            source: RegisteredFences.Source(rawValue: source.origin.rawValue) ?? .none)
    }

    /// Whether the first question for fences has an answer, or there is nobody to ask.
    var isFirstSyncOver: Bool {
        settings.serverURL == nil || source.origin == .server || source.failure != nil
    }
}
