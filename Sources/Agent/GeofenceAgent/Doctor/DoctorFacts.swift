/// What was seen of the device, found out by an adapter and judged by `DoctorChecks`.
public enum DoctorFacts {
    /// How reading the configuration went.
    public enum Configuration: Hashable, Sendable {
        /// `problems` are those of the files that it names, one sentence each.
        case accepted(file: String, problems: [String])
        /// One line for each problem.
        case refused(lines: [String])
    }

    /// The device key.
    public enum Credential: Hashable, Sendable {
        case notNeeded
        /// `mode` in octal, "0600".
        case usable(path: String, mode: String)
        case unreadable(path: String, problem: String, remedy: String)
        case tooOpen(path: String, problem: String, remedy: String)
        case invalid(path: String, problem: String, remedy: String)
    }

    /// The state directory and its disk.
    public struct Storage: Hashable, Sendable {
        public var directory: String
        public var access: Access
        /// Nil: not known.
        public var space: Space?
        public var sync: Sync
        /// Files in it that are not the agent's user's.
        public var strangers: Strangers?

        public struct Strangers: Hashable, Sendable {
            /// Whose they are to be, a name or a number.
            public var owner: String
            /// "/var/lib/geofenced/queue.db of root"
            public var files: [String]

            /// Nil where there are no `files`.
            public init?(owner: String, files: [String]) {
                guard !files.isEmpty else { return nil }
                self.owner = owner
                self.files = files
            }
        }

        public enum Access: Hashable, Sendable {
            case missing(reason: String)
            /// `reason` as of the system: read-only file system, permission denied.
            case notWritable(reason: String)
            /// `isPrivate`: others than the owner can do nothing there.
            case writable(mode: String, isPrivate: Bool)
        }

        public struct Space: Hashable, Sendable {
            public var freeBytes: Int64
            public var totalBytes: Int64
            /// Nil: the file system does not count them.
            public var freeFiles: Int64?

            public init(freeBytes: Int64, totalBytes: Int64, freeFiles: Int64?) {
                self.freeBytes = freeBytes
                self.totalBytes = totalBytes
                self.freeFiles = freeFiles
            }
        }

        public enum Sync: Hashable, Sendable {
            /// The 99th percentile of so many small writes to an unnamed file.
            case measured(p99Milliseconds: Double, count: Int)
            case failed(reason: String)
            case skipped(reason: String)
        }

        public init(
            directory: String, access: Access, space: Space?, sync: Sync,
            strangers: Strangers? = nil
        ) {
            self.directory = directory
            self.access = access
            self.space = space
            self.sync = sync
            self.strangers = strangers
        }
    }

    /// The queue's file, looked into without writing.
    public enum Queue: Hashable, Sendable {
        case absent(path: String)
        case unreadable(path: String, reason: String)
        case newer(path: String, reason: String)
        /// `defects` are those of the file, `miscounts` those of the counters.
        case read(
            path: String, defects: [String], miscounts: [String], counts: String, dead: Int64)
        /// It could not be looked at without writing, or not in time.
        case skipped(path: String, reason: String)
    }

    /// The system clock and who sets it.
    public struct Clock: Hashable, Sendable {
        /// RFC 3339
        public var time: String
        /// Before the release of this program, which is impossible.
        public var isBeforeRelease: Bool
        /// Whether the kernel says that somebody disciplines the clock.
        public var isSynchronised: Bool
        /// System clock minus GNSS, seconds, from the running agent; nil: not known.
        public var gnssOffsetSeconds: Double?
        /// "rtc0"; nil: no hardware clock.
        public var hardwareClock: String?

        public init(
            time: String, isBeforeRelease: Bool, isSynchronised: Bool, gnssOffsetSeconds: Double?,
            hardwareClock: String?
        ) {
            self.time = time
            self.isBeforeRelease = isBeforeRelease
            self.isSynchronised = isSynchronised
            self.gnssOffsetSeconds = gnssOffsetSeconds
            self.hardwareClock = hardwareClock
        }
    }

    /// The running agent.
    public enum Agent: Hashable, Sendable {
        case running(AgentSummary)
        /// Nobody answers on the socket.
        case stopped(socket: String)
        /// This user has no permission for the socket.
        case forbidden(socket: String)
        /// Something is there, and does not answer us.
        case unreachable(socket: String, reason: String)
    }

    /// What the doctor takes from the running agent's status.
    public struct AgentSummary: Hashable, Sendable {
        public var version: String
        public var runningSeconds: Double
        public var clockOffsetSeconds: Double?
        /// Why it keeps events in memory only, as its status says; nil: they are on the disk.
        public var memoryReason: String?

        public init(
            version: String, runningSeconds: Double, clockOffsetSeconds: Double?,
            memoryReason: String? = nil
        ) {
            self.version = version
            self.runningSeconds = runningSeconds
            self.clockOffsetSeconds = clockOffsetSeconds
            self.memoryReason = memoryReason
        }
    }

    /// The watchdog of the unit.
    public enum Watchdog: Hashable, Sendable {
        case set(unit: String, value: String)
        case missing(unit: String)
        case unknown(reason: String)
    }
}
