import CLinux
import Glibc

/// Tells the service manager how the service is doing: sd_notify(3), one datagram a message.
///
/// Without NOTIFY_SOCKET nobody is told and nothing fails.
public struct SystemdNotifier: Sendable {
    /// What can be told; several go into one datagram.
    public enum Message: Sendable {
        case ready
        case stopping
        /// A new configuration is being read; `.ready` ends it. `monotonicMicroseconds` is
        /// CLOCK_MONOTONIC now.
        case reloading(monotonicMicroseconds: Int64)
        /// One line for `systemctl status`.
        case status(String)
        case watchdog
        /// A start, reload or stop that will take so long, from now on.
        case extendTimeout(seconds: Int64)

        private static let secondsLimit: Int64 = 1_000_000_000

        var text: String {
            switch self {
            case .ready: "READY=1"
            case .stopping: "STOPPING=1"
            case .reloading(let time): "RELOADING=1\nMONOTONIC_USEC=\(time)"
            case .status(let line):
                "STATUS=\(line.split(whereSeparator: \.isNewline).joined(separator: " "))"
            case .watchdog: "WATCHDOG=1"
            case .extendTimeout(let seconds):
                "EXTEND_TIMEOUT_USEC=\(min(max(0, seconds), Self.secondsLimit) * 1_000_000)"
            }
        }
    }

    /// How often `.watchdog` must be sent at least, in milliseconds; nil when nobody waits for it.
    /// Send it at half of that.
    public let watchdogMilliseconds: Int?
    private let address: UnixAddress?

    /// From NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID of this process.
    public init() {
        self.init(environment: { name in getenv(name).map { String(cString: $0) } })
    }

    /// From another environment.
    public init(environment: (String) -> String?) {
        address = environment("NOTIFY_SOCKET").flatMap { UnixAddress($0) }
        let isOurs = environment("WATCHDOG_PID").map { $0 == String(getpid()) } ?? true
        let microseconds = environment("WATCHDOG_USEC").flatMap { Int($0) } ?? 0
        watchdogMilliseconds = isOurs && microseconds >= 1000 ? microseconds / 1000 : nil
    }

    /// Whether a service manager listens.
    public var isActive: Bool { address != nil }

    /// Sends one datagram. It never waits; false when the manager did not take it.
    @discardableResult
    public func send(_ messages: Message...) -> Bool {
        guard let address else { return false }
        let number = clinux_datagram_socket()
        guard number >= 0 else { return false }
        let socket = FileDescriptor(owning: number)
        let text = Array(messages.map(\.text).joined(separator: "\n").utf8)
        let sent = address.withSocketAddress { pointer, length in
            clinux_send_now(socket.number, text, text.count, pointer, length)
        }
        return sent == text.count
    }
}
