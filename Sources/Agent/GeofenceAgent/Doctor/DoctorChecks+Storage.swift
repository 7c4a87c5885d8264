extension DoctorChecks {
    /// State directory, space, fsync.
    public static func storage(_ facts: DoctorFacts.Storage) -> [DoctorCheck] {
        [access(facts), space(facts), sync(facts)]
    }

    private static func access(_ facts: DoctorFacts.Storage) -> DoctorCheck {
        let name = "state directory"
        let place = facts.directory
        if case .writable = facts.access, let strangers = facts.strangers {
            return DoctorCheck(
                name, .stateForeignFiles, seen: list(strangers),
                action: "chown -R \(strangers.owner) \(place): the agent's user cannot open them, "
                    + "and keeps events in memory where it needs them")
        }
        switch facts.access {
        case .missing(let reason):
            return DoctorCheck(
                name, .stateMissing, seen: "\(place): \(reason)",
                action: "mkdir -m 0700 \(place), owned by the agent's user; systemd does it by "
                    + "StateDirectory=")
        case .notWritable(let reason):
            return DoctorCheck(
                name, .stateNotWritable, seen: "\(place): \(reason)",
                action: "mount it read-write, or set state_directory to a place that the agent's "
                    + "user may write; meanwhile at most 256 events are kept in memory")
        case .writable(let mode, isPrivate: false):
            return DoctorCheck(
                name, .stateTooOpen, seen: "\(place), mode \(mode)",
                action: "chmod 0700 \(place): it holds where the device was")
        case .writable(let mode, isPrivate: true):
            return DoctorCheck(name, .stateWritable, seen: "\(place), mode \(mode)")
        }
    }

    /// The first of what may be hundreds.
    private static func list(_ strangers: DoctorFacts.Storage.Strangers) -> String {
        let rest = strangers.files.count - listedStrangers
        return strangers.files.prefix(listedStrangers).joined(separator: ", ")
            + (rest > 0 ? ", and \(rest) more" : "") + ", not of \(strangers.owner)"
    }

    private static let listedStrangers = 5

    private static func space(_ facts: DoctorFacts.Storage) -> DoctorCheck {
        let name = "free space"
        guard let space = facts.space else {
            return DoctorCheck(
                name, .spaceUnknown, seen: "\(facts.directory) cannot be asked for its space")
        }
        let free = "\(space.freeBytes / 1_048_576) MiB free of \(space.totalBytes / 1_048_576)"
        let files = space.freeFiles.map { ", \($0) files" } ?? ""
        let seen = free + files
        // AgentStorage keeps the same reserve: below it the queue's file does not grow.
        let reserve = min(8_388_608, space.totalBytes / 50)
        if space.freeBytes <= reserve || space.freeFiles == 0 {
            return DoctorCheck(
                name, .spaceExhausted, seen: seen,
                action: "free room on the disk of \(facts.directory): new events push out old ones")
        }
        if space.freeBytes < reserve + lowBytes || (space.freeFiles ?? .max) < lowFiles {
            return DoctorCheck(
                name, .spaceLow, seen: seen,
                action: "free room on the disk of \(facts.directory) soon")
        }
        return DoctorCheck(name, .spaceEnough, seen: seen)
    }

    private static func sync(_ facts: DoctorFacts.Storage) -> DoctorCheck {
        let name = "fsync"
        switch facts.sync {
        case .skipped(let reason):
            return DoctorCheck(name, .syncNotMeasured, seen: "not measured: \(reason)")
        case .failed(let reason):
            return DoctorCheck(
                name, .syncFailed, seen: "\(facts.directory): \(reason)",
                action: "the disk does not take writes: check its card and cable, dmesg")
        case .measured(let milliseconds, let count):
            let seen = "p99 \((min(milliseconds, 1e9) * 10).rounded() / 10) ms of \(count)"
            guard milliseconds <= slowMilliseconds else {
                return DoctorCheck(
                    name, .syncSlow, seen: seen,
                    action: "every decision waits for one write: replace the card, or move the "
                        + "state directory to a faster disk")
            }
            return DoctorCheck(name, .syncFast, seen: seen)
        }
    }

    /// Integrity and invariant of the queue.
    public static func queue(_ facts: DoctorFacts.Queue) -> [DoctorCheck] {
        [integrity(facts), invariant(facts)]
    }

    private static func integrity(_ facts: DoctorFacts.Queue) -> DoctorCheck {
        let name = "queue"
        switch facts {
        case .absent(let path):
            return DoctorCheck(name, .queueAbsent, seen: "\(path) does not exist yet")
        case .skipped(let path, let reason):
            return DoctorCheck(name, .queueNotChecked, seen: "\(path): \(reason)")
        case .unreadable(let path, let reason):
            return DoctorCheck(
                name, .queueUnreadable, seen: "\(path): \(reason)",
                action: "run this as root or as the agent's user; if it is damaged, the agent "
                    + "salvages it when it starts")
        case .newer(let path, let reason):
            return DoctorCheck(
                name, .queueNewer, seen: "\(path): \(reason)",
                action: "install the version that made it; an older one must not touch it")
        case .read(let path, let defects, _, _, _) where !defects.isEmpty:
            return DoctorCheck(
                name, .queueDamaged, seen: "\(path): \(firstOf(defects))",
                action: "restart the agent: what it cannot use it moves to quarantine/, and "
                    + "salvages every readable event; then check the card")
        case .read(_, _, _, let counts, let dead) where dead > 0:
            return DoctorCheck(
                name, .queueDeadLetters, seen: counts,
                action: "'geofenced events' shows what the server refused for good")
        case .read(_, _, _, let counts, _):
            return DoctorCheck(name, .queueSound, seen: counts)
        }
    }

    /// The beginning of what may be hundreds of lines.
    private static func firstOf(_ defects: [String]) -> String {
        let lines = defects.flatMap { $0.split(whereSeparator: \.isNewline) }
            .filter { !$0.hasPrefix("***") }
        let rest = lines.count - 1
        return "\(lines.first ?? "damaged")" + (rest > 0 ? ", and \(rest) more defects" : "")
    }

    private static func invariant(_ facts: DoctorFacts.Queue) -> DoctorCheck {
        let name = "queue invariant"
        if let reason = notCounted(facts) {
            return DoctorCheck(name, .countsNotRead, seen: "not counted: \(reason)")
        }
        guard case .read(_, _, let miscounts, let counts, _) = facts else {
            return DoctorCheck(name, .countsNotRead, seen: "not counted")
        }
        guard miscounts.isEmpty else {
            return DoctorCheck(
                name, .countsWrong, seen: "\(counts): \(miscounts.joined(separator: "; "))",
                action: "restart the agent: it counts again and tells of what is missing; report "
                    + "it, this is a defect")
        }
        return DoctorCheck(
            name, .countsBalanced,
            seen: "enqueued = acknowledged + pending + dead + evicted, and as many rows")
    }

    /// Why the rows were not counted; nil: they were.
    private static func notCounted(_ facts: DoctorFacts.Queue) -> String? {
        switch facts {
        case .absent(let path): "there is no \(path) yet, the agent makes it"
        case .skipped(let path, let reason): "\(path): \(reason)"
        case .unreadable(let path, _):
            "\(path) cannot be read, see \(DoctorCode.queueUnreadable.rawValue)"
        case .newer(let path, _):
            "\(path) is of a newer version, see \(DoctorCode.queueNewer.rawValue)"
        case .read(let path, let defects, _, _, _) where !defects.isEmpty:
            "\(path) is damaged, see \(DoctorCode.queueDamaged.rawValue)"
        case .read: nil
        }
    }

    /// Bytes above the reserve below which space is low.
    static let lowBytes: Int64 = 67_108_864
    static let lowFiles: Int64 = 100
    /// Slower than this, a burst of decisions is felt.
    static let slowMilliseconds = 250.0
}
