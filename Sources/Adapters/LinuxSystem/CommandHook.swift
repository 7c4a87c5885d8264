import Glibc
import Synchronization

/// Runs a command for each text that it is handed: the text on its standard input, one after the
/// other, on a thread of its own.
///
/// Invariants:
/// - `submit` never waits: a bounded queue stands before the thread.
/// - A command has `limits.milliseconds`; then, or when it has ended, whatever is left of its process
///   group is killed.
/// - What it prints is read, so that it does not stall, and thrown away beyond its first bytes.
/// - Its input survives this process: it is in a pipe, or on the way, before the command starts.
public final class CommandHook: Sendable {
    public struct Limits: Sendable {
        /// For one run.
        public var milliseconds: Int64 = 5000
        /// Texts that may wait.
        public var queue = 32
        /// Bytes of one text.
        public var inputBytes = 32_768
        /// Bytes of output that are kept for the report of a failure.
        public var outputBytes = 512

        public init() {}
    }

    /// How it fared since the start.
    public struct Report: Hashable, Sendable {
        public var succeeded = 0
        public var failed = 0
        public var dropped = 0
        public var waiting = 0
        public var lastFailure: String?
    }

    private struct State {
        var queue: [[UInt8]] = []
        var report = Report()
        var isClosing = false
    }

    private let limits: Limits
    private let state = Mutex(State())
    private let isWanted = Semaphore()
    private let stop: WakeEvent
    private let thread: Mutex<DedicatedThread?>

    /// `arguments` begins with the path of the command. Nothing is started before the first text.
    public init(
        _ arguments: [String], limits: Limits = Limits(),
        onFailure: @escaping @Sendable (String) -> Void
    ) throws(SystemError) {
        self.limits = limits
        stop = try WakeEvent()
        thread = Mutex(nil)
        let loop = Loop(hook: self, arguments: arguments, onFailure: onFailure)
        let started = try DedicatedThread(name: "hook") { loop.run() }
        thread.withLock { $0 = started }
    }

    /// Hands over a text; false where it is not taken, which is counted.
    @discardableResult
    public func submit(_ text: [UInt8]) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.isClosing, state.queue.count < limits.queue,
                text.count <= limits.inputBytes
            else {
                state.report.dropped += 1
                return false
            }
            state.queue.append(text)
            state.report.waiting += 1
            return true
        }
        if isTaken { isWanted.post() }
        return isTaken
    }

    public var report: Report { state.withLock { $0.report } }

    /// Ends the thread: what waits is not run, and a command that runs goes on for `milliseconds`.
    public func close(milliseconds: Int = 1000) {
        state.withLock { $0.isClosing = true }
        isWanted.post()
        guard let thread = thread.withLock({ $0.take() }) else { return }
        guard !thread.join(milliseconds: milliseconds) else { return }
        stop.signal()
        thread.join(milliseconds: milliseconds)
    }

    /// The next text; nil: the hook is closing.
    fileprivate func next() -> [UInt8]? {
        while true {
            isWanted.wait(until: nil)
            let (text, isClosing) = state.withLock { state in
                (state.queue.isEmpty ? nil : state.queue.removeFirst(), state.isClosing)
            }
            if isClosing { return nil }
            if let text { return text }
        }
    }

    /// The work of the thread; it keeps the hook alive until `close`.
    private struct Loop: Sendable {
        let hook: CommandHook
        let arguments: [String]
        let onFailure: @Sendable (String) -> Void

        func run() {
            while let text = hook.next() {
                let failure = HookRun.run(
                    arguments, input: text, limits: hook.limits, stop: hook.stop)
                hook.state.withLock { state in
                    state.report.waiting -= 1
                    if let failure {
                        state.report.failed += 1
                        state.report.lastFailure = failure
                    } else {
                        state.report.succeeded += 1
                    }
                }
                if let failure { onFailure(failure) }
            }
        }
    }
}
