/// The verdicts of the doctor: facts in, finding out; nothing here looks at the device.
///
/// Every check stands alone: what one of them found out changes no other.
public enum DoctorChecks {
    public static func configuration(_ facts: DoctorFacts.Configuration) -> DoctorCheck {
        let name = "configuration"
        switch facts {
        case .accepted(let file, let problems) where problems.isEmpty:
            return DoctorCheck(name, .configurationAccepted, seen: file)
        case .accepted(let file, let problems):
            return DoctorCheck(
                name, .configuredFileUnusable, seen: problems.joined(separator: "; "),
                action: "mend what \(file) names, then 'geofenced config check'")
        case .refused(let lines):
            return DoctorCheck(
                name, .configurationRefused, seen: lines.joined(separator: "; "),
                action: "mend the line; docs/configuration.md has every key and its range")
        }
    }

    public static func credential(_ facts: DoctorFacts.Credential) -> DoctorCheck {
        let name = "credential"
        switch facts {
        case .notNeeded:
            return DoctorCheck(name, .keyNotNeeded, seen: "no server is configured")
        case .usable(let path, let mode):
            return DoctorCheck(name, .keyUsable, seen: "\(path), mode \(mode)")
        case .unreadable(let path, let problem, let remedy):
            return DoctorCheck(
                name, .keyUnreadable, seen: "\(path): \(problem)", action: remedy)
        case .tooOpen(let path, let problem, let remedy):
            return DoctorCheck(name, .keyTooOpen, seen: "\(path): \(problem)", action: remedy)
        case .invalid(let path, let problem, let remedy):
            return DoctorCheck(name, .keyInvalid, seen: "\(path): \(problem)", action: remedy)
        }
    }

    public static func agent(_ facts: DoctorFacts.Agent) -> DoctorCheck {
        let name = "agent"
        switch facts {
        case .running(let agent):
            let minutes = Int(min(max(agent.runningSeconds, 0), 1e12) / 60)
            let seen = "version \(agent.version), for \(minutes) min"
            guard let reason = agent.memoryReason else {
                return DoctorCheck(name, .agentRunning, seen: seen)
            }
            return DoctorCheck(
                name, .agentInMemory, seen: "\(seen), keeps events in memory: \(reason)",
                action: "mend what the reason names: owner, mode, room or mount of the state "
                    + "directory; the agent looks every minute and writes down what it has, while "
                    + "stopping it before loses that")
        case .stopped(let socket):
            return DoctorCheck(
                name, .agentStopped, seen: "nobody answers at \(socket)",
                action: "systemctl start geofenced, or 'geofenced run'")
        case .forbidden(let socket):
            return DoctorCheck(
                name, .agentUnreachable, seen: "\(socket): this user may not ask the agent",
                action: "run this as root or as a member of the group geofenced")
        case .unreachable(let socket, let reason):
            return DoctorCheck(
                name, .agentUnreachable, seen: "\(socket): the agent is there, but: \(reason)",
                action:
                    "run this again; if it stays so, 'journalctl -u geofenced' says what hangs, "
                    + "and 'systemctl restart geofenced' ends it")
        }
    }

    public static func watchdog(_ facts: DoctorFacts.Watchdog) -> DoctorCheck {
        let name = "watchdog"
        switch facts {
        case .set(let unit, let value):
            return DoctorCheck(name, .watchdogSet, seen: "\(unit): \(value)")
        case .missing(let unit):
            return DoctorCheck(
                name, .watchdogMissing, seen: "\(unit) has no WatchdogSec=",
                action: "systemctl edit \(unit), [Service] WatchdogSec=60")
        case .unknown(let reason):
            return DoctorCheck(name, .watchdogUnknown, seen: reason)
        }
    }

    public static func clock(_ facts: DoctorFacts.Clock) -> DoctorCheck {
        let name = "clock"
        let rtc = facts.hardwareClock ?? "no hardware clock"
        var sources = facts.isSynchronised ? ["NTP"] : []
        if facts.gnssOffsetSeconds != nil { sources.append("GNSS") }
        let source = sources.isEmpty ? "no source" : sources.joined(separator: " and ")
        let seen = "\(facts.time), \(source), \(rtc)"
        if facts.isBeforeRelease {
            return DoctorCheck(
                name, .clockImpossible, seen: "\(seen): before this program was released",
                action: "set the clock (timedatectl), or wait for GNSS or NTP")
        }
        if let offset = facts.gnssOffsetSeconds, abs(offset) > clockToleranceSeconds {
            let tenths = (min(abs(offset), 1e12) * 10).rounded() / 10
            return DoctorCheck(
                name, .clockOff, seen: "\(seen): \(tenths) s off GNSS",
                action: "enable systemd-timesyncd or chrony; events keep GNSS time anyway")
        }
        guard !sources.isEmpty else {
            return DoctorCheck(
                name, .clockWithoutSource, seen: seen,
                action: "give the receiver sky or the device a network; until then events get "
                    + "their time later")
        }
        return DoctorCheck(name, .clockGood, seen: seen)
    }

    /// Seconds; the wire calls a client's clock skewed beyond this.
    static let clockToleranceSeconds = 2.0
}
