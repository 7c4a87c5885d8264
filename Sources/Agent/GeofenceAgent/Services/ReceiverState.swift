import Positioning
import Timekeeping

/// What the control loop knows of the receiver.
struct ReceiverState: Sendable {
    var health = SourceHealth(.opening, "the agent has just started")
    /// The last epoch, with or without a position.
    var lastFix: Fix?
    /// Input that was discarded because the control loop was behind.
    var dropped = 0
    /// The latest report of the source.
    private(set) var report = ReceiverReport()
    /// Over the last full window.
    private(set) var bytesPerSecond = 0.0
    private var window: (start: Uptime, bytes: Int)?

    /// Takes in the source's own report.
    mutating func take(_ report: ReceiverReport, at now: Uptime) {
        self.report = report
        guard let open = window else {
            window = (now, report.bytes)
            return
        }
        let elapsed = now.seconds(since: open.start)
        guard elapsed >= Self.windowSeconds else { return }
        bytesPerSecond = Double(max(0, report.bytes - open.bytes)) / elapsed
        window = (now, report.bytes)
    }

    private static let windowSeconds = 5.0
}
