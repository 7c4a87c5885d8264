import Delivery
import Simulation
import Timekeeping

/// Clocks that are wrong, and what corrects them.
extension DeliverySimulation {
    mutating func jump() {
        let years = random.uniform(in: -10..<10)
        let by = Int64(years * 365.25 * 86_400_000)
        say("the wall clock jumps by \(years) years")
        clock.setWallClock(clock.wallClock.time.advanced(byMilliseconds: by), isSynchronised: false)
    }

    /// A receiver says what time it is, give or take a third of a second; or a time server.
    mutating func learnTime() throws {
        let truth = Self.epoch.advanced(byMilliseconds: now)
        let isReceiver = random.uniform() < 0.7
        let error = Int64(random.uniform(in: -300..<300))
        isTimeKnown = true
        if !isReceiver { clock.setWallClock(truth, isSynchronised: true) }
        say("the time is known")
        try commit(
            0,
            anchor: ClockAnchor(
                bootID: clock.bootID, uptime: clock.uptime,
                utc: truth.advanced(byMilliseconds: error),
                source: isReceiver ? .gnss : .disciplined))
    }
}
