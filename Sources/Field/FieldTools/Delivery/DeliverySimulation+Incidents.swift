import Delivery
import GeofenceAgent
import Geofencing
import Simulation
import Timekeeping

/// What happens to the device and around it.
extension DeliverySimulation {
    mutating func incident() throws {
        let gap = climate.hours * 3600 / Double(climate.incidents)
        incidentAt = now + random.milliseconds(in: 0..<(2 * gap))
        let incident = climate.incident(&random)
        guard queue != nil else { return }
        switch incident {
        case .events: try commit(Int.random(in: 1...4, using: &random))
        case .link: changeLink(to: random.uniform() < 0.6)
        case .kill: try kill("killed")
        case .restart: try stop()
        case .reboot: try reboot()
        case .suspend: suspend()
        case .wallClock: jump()
        case .learnTime: try learnTime()
        case .mood: changeMood()
        case .configure: configure()
        case .flush:
            say("a person asks for an upload")
            planner.flush()
            gate.flushed()
            account.forgetDeferrals()
            if running == nil { wakeAt = now }
        case .damage: try damage()
        }
    }
}
