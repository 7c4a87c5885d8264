import Positioning
import Timekeeping

/// What the control loop knows of the receiver.
struct ReceiverState: Sendable {
    var health = SourceHealth(.opening, "the agent has just started")
    /// The last epoch, with or without a position.
    var lastFix: Fix?
    /// Input that was discarded because the control loop was behind.
    var dropped = 0
    private var bytes = 0
    private var windowStart: Uptime?
    private(set) var bytesPerSecond = 0.0

    /// Counts received bytes; the rate is that of the last full window.
    mutating func count(_ count: Int, at now: Uptime) {
        bytes += count
        guard let start = windowStart else {
            windowStart = now
            return
        }
        let elapsed = now.seconds(since: start)
        guard elapsed >= Self.windowSeconds else { return }
        bytesPerSecond = Double(bytes) / elapsed
        bytes = 0
        windowStart = now
    }

    private static let windowSeconds = 5.0
}
