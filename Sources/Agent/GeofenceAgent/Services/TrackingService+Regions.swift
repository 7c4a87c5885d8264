import Geofencing
import Positioning
import Timekeeping

/// What the region monitor and the check-in state have to say.
extension TrackingService {
    /// Tells what became of regions: the local stream hears all of it, the journal what is odd.
    func tellRegions(_ output: PipelineOutput) {
        for change in output.regionChanges {
            switch change {
            case .registered(let region):
                tell(region)
                hub.publish(.registered(fenceID: region.identifier))
            case .unregistered(let region): hub.publish(.unregistered(fenceID: region.identifier))
            }
        }
        for error in output.regionErrors { complain(error.code, "\(error)") }
        if let overflow = output.overflow, !overflow.isEmpty {
            complain(
                "overlap_overflow",
                "more fences hold the device than can be monitored; frozen: "
                    + overflow.joined(separator: ", "))
        }
    }

    private func tell(_ region: Region) {
        let radius = "\(Int(min(region.radiusMeters, 1e9))) m"
        switch region.fit {
        case .asAsked: break
        case .clamped:
            complain(
                "region_clamped",
                "fence \(region.identifier) is larger than can be monitored; registered with "
                    + radius)
        case .widened:
            log.write(
                LogLine(.notice, "fence \(region.identifier) is registered with \(radius)"))
        }
    }

    private func complain(_ code: String, _ message: String) {
        log.write(LogLine(.warning, message))
        hub.publish(.error(code: code, message: message))
    }

    /// Judges whether regions can be monitored, and what the kiosk shows.
    func judge() {
        judgeAvailability()
        let facts = CheckInState.Facts(
            health: receiver.health, storage: queue.health,
            arrival: pipeline.tracker.latestArrival,
            isMonitoring: pipeline.tracker.poolCount > 0 && pipeline.tracker.lastFix != nil,
            utc: pipeline.moment(at: time.uptime).utc)
        if let next = checkIn.take(facts, at: time.uptime) { hub.publish(.checkIn(next)) }
    }

    private func judgeAvailability() {
        let before = pipeline.availability
        let now = availability
        pipeline.setAvailability(now)
        guard now != before else { return }
        switch now {
        case .available: log.write(LogLine(.notice, "regions are monitored"))
        case .unavailable(let reason):
            complain("monitoring_unavailable", "\(RegionError.unavailable(reason))")
        }
    }

    private var availability: RegionMonitor.Availability {
        switch receiver.health.state {
        case .permissionDenied: .unavailable(.permissionDenied)
        case .noDevice, .portBusy, .opening, .noData, .wrongBaud: .unavailable(.noReceiver)
        case .noFix, .fix, .stale, .frozen:
            pipeline.tracker.lastFix == nil || pipeline.filter.isExpired(at: time.uptime)
                ? .unavailable(.noPreciseFix) : .available
        }
    }
}

extension RegionError {
    /// Stable, for programs.
    var code: String {
        switch self {
        case .beyondCap: "region_beyond_cap"
        case .radiusInvalid: "region_radius_invalid"
        case .unavailable: "monitoring_unavailable"
        }
    }
}
