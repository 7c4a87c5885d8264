import GeofenceAgent
import LinuxSystem

extension ReceiverProbe {
    static func port(_ path: String, _ device: String?) -> DoctorFacts.Port {
        guard !path.isEmpty else { return .missing(path: nil) }
        guard let device, let access = try? FileAccess.of(device) else {
            return .missing(path: path)
        }
        let isPort = access.kind == .characterDevice || access.kind == .other
        return isPort ? .present(path: path, device: device) : .notADevice(path: path)
    }

    static func rights(_ path: String, _ device: String?) -> DoctorFacts.Rights {
        guard let device else { return .unknown(reason: "there is no port") }
        do throws(SystemError) {
            let access = try FileAccess.of(device)
            return access.isReadable
                ? .readable(owner: access.ownerText)
                : .notReadable(
                    owner: access.ownerText, group: access.group, user: FileAccess.currentUser)
        } catch {
            return .unknown(reason: error.description)
        }
    }

    /// The agent itself is no stranger.
    static func holders(_ device: String?, isAgentRunning: Bool) -> DoctorFacts.Holders {
        guard let device else { return .unknown(reason: "there is no port") }
        let all = DescriptorHolder.processes(holding: device)
        let strangers = all.filter { !(isAgentRunning && $0.name == "geofenced") }
        guard strangers.isEmpty else {
            return .held(by: strangers.map(\.description).joined(separator: ", "))
        }
        let who = all.isEmpty ? "nobody" : "the agent"
        return .free(
            note: FileAccess.isRoot ? who : "\(who); only root sees processes of other users")
    }

    static func console(_ device: String?) -> DoctorFacts.Console {
        guard let device else { return .unknown(reason: "there is no port") }
        guard let line = FileContents.line("/proc/cmdline") else {
            return .unknown(reason: "the kernel's command line cannot be read")
        }
        return KernelConsole.facts(commandLine: line, device: device) { RealPath.of($0) }
    }

    /// Where positions do not come from a serial port. A fixed position is granted by being
    /// configured; whether it is used, a running agent says.
    static func apart(
        from source: String, fix: DoctorFacts.Fix, isRunning: Bool
    ) -> (DoctorFacts.Receiver, PermissionFacts.Receiver) {
        let reason = "positions come from \(source)"
        let isFixed = source == "a fixed position"
        let facts = DoctorFacts.Receiver(
            port: .notNeeded(source: source), rights: .unknown(reason: reason),
            holders: .unknown(reason: reason), console: .unknown(reason: reason),
            gpsd: .notConcerned(reason: reason), data: .notHeard(reason: reason),
            fix: isFixed && !isRunning ? .fix(ageSeconds: 0, detail: "configured") : fix)
        return (facts, isFixed ? .fix(detail: "a fixed position is configured") : permission(facts))
    }

    /// Where gpsd is the source.
    static func served(
        _ heard: Heard, _ gpsd: DoctorFacts.GPSD
    ) -> (DoctorFacts.Receiver, PermissionFacts.Receiver) {
        let reason = "gpsd has the port"
        let facts = DoctorFacts.Receiver(
            port: .notNeeded(source: "gpsd"), rights: .unknown(reason: reason),
            holders: .unknown(reason: reason), console: .unknown(reason: reason), gpsd: gpsd,
            data: heard.data, fix: heard.fix)
        return (facts, permission(facts))
    }

    static func permission(_ facts: DoctorFacts.Receiver) -> PermissionFacts.Receiver {
        if case .notReadable(let owner, _, let user) = facts.rights {
            return .refused(detail: "\(owner), and \(user) may not read it")
        }
        if case .held(let who) = facts.holders {
            return .refused(detail: "the port is in use by \(who)")
        }
        if case .absent(let reason) = facts.gpsd { return .missing(detail: "gpsd: \(reason)") }
        switch facts.port {
        case .missing(let path):
            return .missing(
                detail: path.map { "\($0) does not exist" } ?? "no receiver was found")
        case .notADevice(let path): return .missing(detail: "\(path) is no device")
        case .present, .notNeeded: break
        }
        switch facts.fix {
        case .fix(let age, let detail) where age <= freshSeconds:
            return .fix(detail: "a fix" + (detail.isEmpty ? "" : ", \(detail)"))
        case .fix(let age, _): return .noFix(detail: "the last fix is \(Int(age)) s old")
        case .none(let detail): return .noFix(detail: detail.isEmpty ? "no fix yet" : detail)
        case .unknown(let reason): return .noFix(detail: reason)
        }
    }

    /// A tunnel does not take a permission away.
    private static let freshSeconds = 600.0
}
