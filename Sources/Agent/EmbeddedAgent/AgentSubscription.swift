/// A subscription to an agent's events. It ends with `close`, or when nobody holds it any more.
public final class AgentSubscription: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) {
        self.task = task
    }

    /// No callback begins from now on; one that is under way ends by itself.
    public func close() { task.cancel() }

    deinit { task.cancel() }
}
