import Timekeeping

/// What is odd about a device's times. They are kept as they came, and nothing is refused for them.
public enum TimeFlag: String, Hashable, Sendable {
    /// A clock that is ahead.
    case future
    /// A receiver that lost the week, or a clock that was never set: no queue holds events so long.
    case past

    /// Milliseconds after the receipt.
    static let greatestLead: Int64 = UTCTime.millisecondsPerDay
    /// Milliseconds before the receipt.
    static let greatestAge: Int64 = 365 * UTCTime.millisecondsPerDay

    /// Nil: neither.
    init?(of times: [UTCTime?], receivedAt receipt: UTCTime) {
        let leads = times.compactMap { $0?.milliseconds(since: receipt) }
        if leads.contains(where: { $0 > Self.greatestLead }) {
            self = .future
        } else if leads.contains(where: { $0 < -Self.greatestAge }) {
            self = .past
        } else {
            return nil
        }
    }
}
