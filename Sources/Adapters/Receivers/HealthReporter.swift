import Positioning
import Timekeeping

/// Tells how a source is when that changes, and new figures in the words not too often. Pure.
struct HealthReporter {
    /// Between two reports of the same state.
    static let repeatMilliseconds: Int64 = 5000

    private var last: SourceHealth?
    private var lastTold = Uptime(milliseconds: 0)

    /// Whether nothing was told yet.
    var isSilent: Bool { last == nil }

    /// What was told last.
    var state: SourceHealth.State? { last?.state }

    /// Whether a report of this state would be made now; then its words are worth finding.
    func isDue(_ state: SourceHealth.State, at uptime: Uptime) -> Bool {
        state != last?.state
            || uptime.milliseconds - lastTold.milliseconds >= Self.repeatMilliseconds
    }

    /// The report, if it says anything new.
    mutating func report(_ health: SourceHealth, at uptime: Uptime) -> SourceHealth? {
        guard health != last else { return nil }
        last = health
        lastTold = uptime
        return health
    }
}
