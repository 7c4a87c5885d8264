import Positioning
import Timekeeping

/// What the control loop knows of the receiver. Pure.
struct ReceiverState: Sendable {
    /// How the receiver is, as it was told last.
    private(set) var health = SourceHealth(.opening, "the agent has just started")
    /// The last epoch, with or without a position.
    private(set) var lastFix: Fix?
    /// Input that was discarded because the control loop was behind.
    var dropped = 0
    /// Over the last full window.
    private(set) var bytesPerSecond = 0.0

    private var judge = ReceiverJudge()
    private var window: (start: Uptime, bytes: Int)?

    /// Takes in an epoch with the quality gate's opinion of it.
    mutating func take(_ judged: FilteredFix) {
        lastFix = judged.fix
        judge.take(judged)
    }

    /// Takes in what the source says of itself.
    mutating func take(_ health: SourceHealth) {
        judge.source = health
    }

    /// Forgets the epochs of a receiver that is gone.
    mutating func sourceOpened() {
        judge.sourceOpened()
    }

    /// How the receiver is now, if that is news. A fix is expired after `expirySeconds`.
    mutating func news(at now: Uptime, expirySeconds: Double) -> SourceHealth? {
        let current = judge.health(at: now, expirySeconds: expirySeconds)
        guard current != health else { return nil }
        health = current
        return current
    }

    /// Takes in how many bytes the source has received since the start.
    mutating func take(bytes: Int, at now: Uptime) {
        guard let open = window else {
            window = (now, bytes)
            return
        }
        let elapsed = now.seconds(since: open.start)
        guard elapsed >= Self.windowSeconds else { return }
        bytesPerSecond = Double(max(0, bytes - open.bytes)) / elapsed
        window = (now, bytes)
    }

    private static let windowSeconds = 5.0
}
