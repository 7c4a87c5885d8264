import Glibc
import Synchronization

/// A line on a terminal that says how far long work is; silent where standard error is no terminal.
public final class ProgressReporter: Sendable {
    /// Milliseconds between two drawings.
    static let intervalMilliseconds: Int64 = 100

    private let label: String
    private let total: Int?
    private let writer: OutputWriter
    private let nextDrawing = Mutex<Int64>(0)

    /// `total` is the count that means all is done; nil when nobody knows.
    init(_ label: String, total: Int?, on writer: OutputWriter) {
        self.label = label
        self.total = total
        self.writer = writer
    }

    /// Tells how many of the total are done; drawn at most ten times a second.
    public func update(_ done: Int) {
        guard writer.isTerminal else { return }
        let now = Self.nowMilliseconds()
        let isDue = nextDrawing.withLock { next in
            guard now >= next else { return false }
            next = now + Self.intervalMilliseconds
            return true
        }
        if isDue { draw("\r\(Self.line(label, done, total))\u{1B}[K") }
    }

    /// Removes the line, so that the next output stands alone.
    public func finish() {
        guard writer.isTerminal else { return }
        draw("\r\u{1B}[K")
    }

    /// "replaying 42 % (42 of 100)", or "replaying 42" without a total.
    static func line(_ label: String, _ done: Int, _ total: Int?) -> String {
        guard let total, total > 0 else { return "\(label) \(done)" }
        let percent = Int(Double(min(max(done, 0), total)) / Double(total) * 100)
        return "\(label) \(percent) % (\(done) of \(total))"
    }

    /// A progress line that cannot be drawn is no reason to stop the work.
    private func draw(_ text: String) {
        try? writer.text(text)
        try? writer.flush()
    }

    private static func nowMilliseconds() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}
