import Delivery
import Simulation

/// The end of the faults, and what comes after it.
extension DeliverySimulation {
    /// From now on everything works.
    mutating func calm() throws {
        say("from now on everything works")
        network.isCalm = true
        nextProbe = now
        let wasHealthy =
            network.server.mood == .healthy && network.isLinkUp && network.serverBackAt <= now
        network.server.mood = .healthy
        network.serverBackAt = 0
        if climate.kind == .stuck, wasHealthy {
            // What was under way ends with the faults; what waits for the server's word or its pause
            // would wait in a clean network, too.
            if let running, running.endsAt > now { self.running?.cut(at: now) }
            isFirstReceiptDue = account.counts.pending > 0 && queue != nil
        }
        if !network.isLinkUp { changeLink(to: true) }
        if queue == nil {
            startAt = min(startAt, now + 1000)
            nextProbe = startAt + 1000
        }
    }

    var isDone: Bool {
        // What a spoilt file has forgotten goes with the next event.
        guard network.isCalm, probes >= neededProbes, running == nil, network.late.isEmpty,
            let queue
        else {
            return false
        }
        guard !outbox.owesAnchors(from: queue) else { return false }
        return account.records.allSatisfy { $0.fate != .pending || network.server.isPoison($0.id) }
    }

    /// A late time has to reach the server without an event.
    var neededProbes: Int { climate.kind == .clocks ? 2 : 1 }

    /// Something good to send now and then: what was refused alone waits for it.
    mutating func probe() throws {
        nextProbe = now + Self.hour / 2
        guard queue != nil else { return }
        probes += 1
        if probes < neededProbes { nextProbe = now + 60_000 }
        if probes == 2, climate.kind == .clocks { try learnTime() } else { try commit(1) }
    }
}
