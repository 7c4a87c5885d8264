import Glibc

/// The signals by which a service is asked for something.
public enum ProcessSignal: Sendable, CaseIterable {
    /// SIGTERM: end in order.
    case terminate
    /// SIGINT, Ctrl-C: end in order.
    case interrupt
    /// SIGHUP: read the configuration again.
    case hangUp

    var number: Int32 {
        switch self {
        case .terminate: SIGTERM
        case .interrupt: SIGINT
        case .hangUp: SIGHUP
        }
    }
}
