extension DoctorChecks {
    /// Port, rights, holder, console, gpsd, sentences and fix.
    public static func receiver(_ facts: DoctorFacts.Receiver) -> [DoctorCheck] {
        [
            port(facts.port), rights(facts.rights), holders(facts.holders),
            console(facts.console), gpsd(facts.gpsd),
            data(facts.data, isServed: facts.gpsd.isSource), fix(facts.fix),
        ]
    }

    private static func port(_ facts: DoctorFacts.Port) -> DoctorCheck {
        let name = "serial port"
        switch facts {
        case .present(let path, let device):
            return DoctorCheck(
                name, .portPresent, seen: path == device ? path : "\(path) is \(device)")
        case .missing(let path?):
            return DoctorCheck(
                name, .portMissing, seen: "\(path) does not exist",
                action: "plug the receiver in (dmesg shows its name), or correct receiver.path")
        case .missing(nil):
            return DoctorCheck(
                name, .portMissing, seen: "no receiver found in the usual places",
                action: "plug the receiver in, or set receiver.path")
        case .notADevice(let path):
            return DoctorCheck(
                name, .portNotADevice, seen: "\(path) is no character device",
                action: "correct receiver.path; for a log set receiver.source to file")
        case .notNeeded(let source):
            return DoctorCheck(name, .portNotNeeded, seen: "positions come from \(source)")
        }
    }

    private static func rights(_ facts: DoctorFacts.Rights) -> DoctorCheck {
        let name = "serial group"
        switch facts {
        case .readable(let owner): return DoctorCheck(name, .portReadable, seen: owner)
        case .notReadable(let owner, let group, let user):
            return DoctorCheck(
                name, .portNotReadable, seen: "\(owner), and \(user) may not read it",
                action: "usermod -aG \(group) \(user), then log in again; the unit has "
                    + "SupplementaryGroups=dialout")
        case .unknown(let reason): return DoctorCheck(name, .portRightsUnknown, seen: reason)
        }
    }

    private static func holders(_ facts: DoctorFacts.Holders) -> DoctorCheck {
        let name = "serial holder"
        switch facts {
        case .free(let note): return DoctorCheck(name, .portFree, seen: note)
        case .held(let who):
            return DoctorCheck(
                name, .portHeld, seen: "in use by \(who)",
                action: "stop it; two readers each lose half of the sentences")
        case .unknown(let reason): return DoctorCheck(name, .portHolderUnknown, seen: reason)
        }
    }

    private static func console(_ facts: DoctorFacts.Console) -> DoctorCheck {
        let name = "kernel console"
        switch facts {
        case .elsewhere: return DoctorCheck(name, .consoleElsewhere, seen: "not on this port")
        case .onPort(let argument):
            return DoctorCheck(
                name, .consoleOnPort, seen: argument,
                action: "remove it from cmdline.txt, disable the port's getty, and reboot")
        case .unknown(let reason): return DoctorCheck(name, .consoleUnknown, seen: reason)
        }
    }

    private static func gpsd(_ facts: DoctorFacts.GPSD) -> DoctorCheck {
        let name = "gpsd"
        switch facts {
        case .apart(let note): return DoctorCheck(name, .gpsdApart, seen: note)
        case .serves(let place): return DoctorCheck(name, .gpsdApart, seen: "answers at \(place)")
        case .fights(let place):
            return DoctorCheck(
                name, .gpsdFights, seen: place,
                action: "choose one owner: systemctl disable --now gpsd.socket gpsd, or set "
                    + "receiver.source to gpsd")
        case .absent(let reason):
            return DoctorCheck(
                name, .gpsdAbsent, seen: reason,
                action: "systemctl enable --now gpsd.socket, or correct receiver.host and port")
        case .notConcerned(let reason): return DoctorCheck(name, .gpsdNotConcerned, seen: reason)
        }
    }

    /// `isServed`: by gpsd, so that speed and wiring are its matter.
    private static func data(_ facts: DoctorFacts.Data, isServed: Bool) -> DoctorCheck {
        let name = "sentences"
        switch facts {
        case .sentences(let accepted, let detail):
            return DoctorCheck(name, .sentencesHeard, seen: "\(accepted) \(detail)")
        case .bytesOnly(let detail):
            return DoctorCheck(
                name, .noSentences, seen: detail,
                action: isServed
                    ? "look with cgps at what gpsd gets; gpsctl shows the receiver's protocol"
                    : "leave receiver.baud unset, or set the receiver's speed; it must send NMEA")
        case .silent(let detail):
            return DoctorCheck(
                name, .noBytes, seen: detail,
                action: isServed
                    ? "give gpsd its receiver: gpsdctl add /dev/ttyUSB0, or DEVICES in "
                        + "/etc/default/gpsd and a restart"
                    : "check power and wiring (the receiver's TX to the port's RX), and the "
                        + "kernel console")
        case .notHeard(let reason): return DoctorCheck(name, .sentencesNotHeard, seen: reason)
        }
    }

    private static func fix(_ facts: DoctorFacts.Fix) -> DoctorCheck {
        let name = "fix"
        switch facts {
        case .fix(let age, let detail):
            let seconds = (min(max(age, 0), 1e9) * 10).rounded() / 10
            let seen = "\(seconds) s old" + (detail.isEmpty ? "" : ", \(detail)")
            guard age <= staleSeconds else {
                return DoctorCheck(
                    name, .fixStale, seen: seen,
                    action: "give the antenna a clear view of the sky; nothing is decided without")
            }
            return DoctorCheck(name, .fixFresh, seen: seen)
        case .none(let detail):
            return DoctorCheck(
                name, .fixAbsent, seen: detail,
                action: "give the antenna a clear view of the sky; a cold start takes minutes")
        case .unknown(let reason): return DoctorCheck(name, .fixUnknown, seen: reason)
        }
    }

    /// Older than this, a fix says where the device was.
    static let staleSeconds = 10.0
}
