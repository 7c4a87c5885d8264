import Delivery
import GeofenceAgent
import Simulation
import Timekeeping

/// Starts and ends of the program and of its machine.
extension DeliverySimulation {
    mutating func start() throws {
        let queue = try storage.open(time: clock)
        self.queue = queue
        outcome.starts += 1
        outbox = QueueOutbox()
        outbox.restore(from: queue)
        planner = UploadPlanner(
            policy: policy, batchPrefix: "r\(outcome.starts)", phase: random.uniform())
        gate = RequestGate(capSeconds: policy.backoffCapSeconds)
        watch = NetworkWatch(at: monotonic)
        lookAt = now
        wakeAt = now
        running = nil
        try account.reconcile(queue, at: now)
        say("the agent starts, \(account.counts.pending) pending")
    }

    /// The program ends at once; a request that is under way ends without it.
    mutating func kill(_ reason: String) throws {
        say("the agent ends: \(reason)")
        try storage.kill()
        queue = nil
        running = nil
        startAt = now + random.milliseconds(in: 0.5..<20)
    }

    mutating func stop() throws {
        say("the agent is stopped")
        queue?.close()
        try storage.kill()
        queue = nil
        running = nil
        startAt = now + random.milliseconds(in: 0.5..<20)
    }

    mutating func reboot() throws {
        try kill("the power fails")
        let off = random.milliseconds(in: 5..<600)
        clock.reboot(afterMilliseconds: off)
        now += off
        suspended = 0
        startAt = now + random.milliseconds(in: 5..<40)
        // Without a battery the clock stands where it was, or in 1970, until somebody corrects it.
        if climate.kind == .clocks, random.uniform() < 0.6 {
            isTimeKnown = false
            let isLost = random.uniform() < 0.5
            clock.setWallClock(
                UTCTime(
                    millisecondsSince1970: isLost
                        ? 0 : clock.wallClock.time.millisecondsSince1970 - off),
                isSynchronised: false)
        }
    }

    /// BOOTTIME goes on, MONOTONIC stands.
    mutating func suspend() {
        let time = random.milliseconds(in: 3..<7200)
        say("the machine sleeps for \(time / 1000) s")
        clock.advance(milliseconds: time)
        now += time
        suspended += time
        running?.cut(at: now + 1)
        lookAt = now
    }

    var monotonic: Int64 { clock.uptime.milliseconds - suspended }

    mutating func damage() throws {
        try kill("and its file is spoilt")
        try storage.damage(&random)
        account.isSpoilt = true
    }
}
