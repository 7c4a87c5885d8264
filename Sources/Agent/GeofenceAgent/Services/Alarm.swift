/// A bell that one service waits for, at most a given time; rings while nobody waits are kept.
final class Alarm: Sendable {
    private let rings: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let thread: any ServiceThread

    init(on thread: any ServiceThread) {
        self.thread = thread
        (rings, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Wakes the waiting service, or makes its next wait return at once.
    func ring() {
        continuation.yield()
    }

    /// Returns when the bell rings, the time is over, or the task is cancelled. It may return early:
    /// the caller looks again at what it waits for. One service only may wait.
    func wait(milliseconds: Int64) async {
        guard milliseconds > 0 else { return }
        let bell = continuation
        let timer = thread.perform(afterMilliseconds: Int(clamping: milliseconds)) { bell.yield() }
        for await _ in rings { break }
        thread.cancel(timer)
    }
}
