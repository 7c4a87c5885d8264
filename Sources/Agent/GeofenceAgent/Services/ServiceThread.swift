/// The thread on which the services' tasks take turns, and its clock.
///
/// A port because of what the runtime's own pool and `Task.sleep` cost: from the first use on they
/// wake the process once a second for ever, and an agent that stands at the kerb all day has to be
/// counted in wake-ups.
public protocol ServiceThread: TaskExecutor {
    /// Runs `work` on the thread once, after a time; returns what `cancel` needs.
    func perform(
        afterMilliseconds delay: Int, _ work: @escaping @Sendable () -> Void
    ) -> UInt64

    /// Forgets delayed work that has not begun.
    func cancel(_ timer: UInt64)
}

extension ServiceThread {
    /// Returns when the time is over or the task is cancelled.
    public func sleep(milliseconds: Int64) async {
        await Alarm(on: self).wait(milliseconds: milliseconds)
    }
}
