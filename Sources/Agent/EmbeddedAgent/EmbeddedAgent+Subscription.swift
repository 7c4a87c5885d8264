import GeofenceAgent

extension EmbeddedAgent {
    /// Calls back for everything that happens from now on: before a start, during a run, and over a
    /// stop and a new start.
    ///
    /// Callbacks come one at a time and in order; the agent never waits for them. A callback that is
    /// slow gets every event of a fence all the same, later, and `onError` is told.
    public func subscribe(
        onEvent: @escaping @Sendable (AgentEvent) async -> Void,
        onError: @escaping @Sendable (AgentError) async -> Void
    ) -> AgentSubscription {
        let subscription = hub.subscribe(fixes: false)
        let feed = EventFeed(
            hub: hub,
            stored: { [weak self] told in
                try await self?.services?.storedEvents(beyond: told)
            }, onEvent: onEvent, onError: onError)
        return AgentSubscription(
            Task {
                var feed = feed
                await feed.run(subscription)
            })
    }
}
