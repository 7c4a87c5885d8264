import Delivery
import GeofenceAgent
import Simulation
import Timekeeping

/// Changes of the network, of the server and of the configuration.
extension DeliverySimulation {
    mutating func changeLink(to isUp: Bool) {
        say(isUp ? "the link is up" : "the link is down")
        if !isUp, network.isLinkUp {
            let cutAt = now + random.milliseconds(in: 0.01..<15)
            running?.cut(at: cutAt)
        }
        network.isLinkUp = isUp
        if queue != nil {
            watch.heard(at: monotonic)
            lookAt = min(lookAt ?? .max, now + NetworkWatch.settleMilliseconds)
        }
    }

    /// As `NetworkService` does it.
    mutating func look() {
        lookAt = nil
        let view = NetworkView(
            defaultRoutes: network.isLinkUp ? ["eth0 via 10.0.0.1"] : [], addresses: ["10.0.0.2"])
        guard
            let news = watch.looked(view, suspendedMilliseconds: suspended, at: monotonic)
        else { return }
        let chance = random.uniform()
        say("the network changed, \(news.hasRoute ? "a" : "no") route")
        planner.networkChanged(hasRoute: news.hasRoute, at: clock.uptime, random: chance)
        gate.networkChanged(hasRoute: news.hasRoute, at: clock.uptime, random: chance)
        if running == nil { wakeAt = now }
    }

    mutating func changeMood() {
        let moods: [SimulatedServer.Mood] = [
            .healthy, .healthy, .healthy, .busy(status: 503, retryAfterSeconds: 20),
            .busy(status: 429, retryAfterSeconds: nil), .refusesKey(status: 401),
            .isElsewhere(status: 404), .defers(seconds: 300), .defers(seconds: nil),
            .refusesAll(status: 422),
        ]
        network.server.mood = DeliveryClimate.pick(moods, &random)
        say("the server is \(network.server.mood)")
    }

    mutating func configure() {
        policy.intervalSeconds = DeliveryClimate.pick([0, 5, 60], &random)
        policy.backoffCapSeconds = DeliveryClimate.pick([60, 300, 900], &random)
        planner.configure(policy)
        gate.configured(capSeconds: policy.backoffCapSeconds)
        if running == nil { wakeAt = now }
    }
}
