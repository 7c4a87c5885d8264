import Glibc
import Synchronization

/// Signals as values for a loop that looks for them: SIGTERM, SIGINT, SIGUSR1 and SIGUSR2.
enum CaughtSignals {
    /// From here on these signals do nothing by themselves.
    static func install() {
        for number in [SIGTERM, SIGINT, SIGUSR1, SIGUSR2] {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { number in
                arrived.bitwiseOr(1 << UInt64(number), ordering: .relaxed)
            }
            sigemptyset(&action.sa_mask)
            sigaction(number, &action, nil)
        }
        signal(SIGPIPE, SIG_IGN)
    }

    /// Whether a signal has come since the last call for it.
    static func take(_ number: Int32) -> Bool {
        let bit = UInt64(1) << UInt64(number)
        return arrived.bitwiseAnd(~bit, ordering: .relaxed).oldValue & bit != 0
    }
}

/// What the handlers saw; a C function can reach nothing but a global.
private let arrived = Atomic<UInt64>(0)
