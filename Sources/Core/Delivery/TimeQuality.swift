/// How far the time of an event can be trusted; raw values are `time_quality` on the wire.
public enum TimeQuality: String, Hashable, Sendable {
    /// A trusted GNSS time.
    case gnss
    /// A GNSS time that has not yet passed the trust rules.
    case gnssUnconfirmed = "gnss_unconfirmed"
    /// No GNSS time; the wall clock was synchronised.
    case disciplined
    /// Uptime only; a clock anchor of the same boot may resolve it later.
    case monotonicOnly = "monotonic_only"
    /// The clocks contradict each other.
    case suspect
}
