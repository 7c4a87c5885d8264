extension DoctorFacts {
    /// The receiver, from its port to its fix.
    public struct Receiver: Hashable, Sendable {
        public var port: Port
        public var rights: Rights
        public var holders: Holders
        public var console: Console
        public var gpsd: GPSD
        public var data: Data
        public var fix: Fix

        public init(
            port: Port, rights: Rights, holders: Holders, console: Console, gpsd: GPSD, data: Data,
            fix: Fix
        ) {
            self.port = port
            self.rights = rights
            self.holders = holders
            self.console = console
            self.gpsd = gpsd
            self.data = data
            self.fix = fix
        }
    }

    public enum Port: Hashable, Sendable {
        /// `device` is what the path leads to.
        case present(path: String, device: String)
        /// Nil: none is configured, and none was found.
        case missing(path: String?)
        case notADevice(path: String)
        /// Another source than a serial port: "gpsd", "a file", "a fixed position".
        case notNeeded(source: String)
    }

    public enum Rights: Hashable, Sendable {
        /// `owner` as in ls -l: "crw-rw---- root dialout" without the name.
        case readable(owner: String)
        case notReadable(owner: String, group: String, user: String)
        case unknown(reason: String)
    }

    public enum Holders: Hashable, Sendable {
        /// Nobody, or the agent itself; `note` says what could not be seen.
        case free(note: String)
        /// Name and process id of each.
        case held(by: String)
        case unknown(reason: String)
    }

    public enum Console: Hashable, Sendable {
        case elsewhere
        /// The argument of the kernel's command line, "console=ttyAMA0,115200".
        case onPort(argument: String)
        case unknown(reason: String)
    }

    public enum GPSD: Hashable, Sendable {
        /// Not running, or running without this port.
        case apart(note: String)
        /// It has this port, or is told to take it; `place` names process or file.
        case fights(place: String)
        /// It is the configured source and does not answer.
        case absent(reason: String)
        /// It is the configured source and answers.
        case serves(place: String)
        case notConcerned(reason: String)

        /// Whether positions come from it.
        var isSource: Bool {
            switch self {
            case .absent, .serves: true
            case .apart, .fights, .notConcerned: false
            }
        }
    }

    public enum Data: Hashable, Sendable {
        case sentences(accepted: Int, detail: String)
        case bytesOnly(detail: String)
        case silent(detail: String)
        case notHeard(reason: String)
    }

    public enum Fix: Hashable, Sendable {
        case fix(ageSeconds: Double, detail: String)
        case none(detail: String)
        case unknown(reason: String)
    }
}
