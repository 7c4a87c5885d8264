import EmbeddedAgent

/// Prints arrivals and departures until the first dwell.
func watchArrivals(configuredBy file: String) async throws {
    let agent = try EmbeddedAgent(configurationFile: file, unit: "arrivals.service")
    let (dwells, dwelled) = AsyncStream.makeStream(of: Void.self)
    let subscription = agent.subscribe { event in
        switch event {
        case .entered(let arrival): print("arrived at \(arrival.fenceID?.text ?? "-")")
        case .exited(let departure): print("left \(departure.fenceID?.text ?? "-")")
        case .dwell: dwelled.finish()
        case .pass, .registered, .unregistered: break
        }
    } onError: { error in
        print("\(error.code): \(error.message)")
    }
    // A service asks for .grantedAlways, the default: it is started with the machine.
    let monitored = try await agent.start(requiring: .grantedWhenInUse)
    print("\(monitored.fences.count) fences, from \(monitored.source)")
    for await _ in dwells {}
    subscription.close()
    await agent.stop()
}
