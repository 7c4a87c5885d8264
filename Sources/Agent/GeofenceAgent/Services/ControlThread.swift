/// The thread of the control loop, as those see it who hand it input.
///
/// A port because of what tasks and timers of the runtime cost: each wakes two or three threads, and
/// an agent that stands at the kerb all day has to be counted in wake-ups.
public protocol ControlThread: Sendable {
    /// Runs `work` on the thread soon; from it `assumeIsolated` of the control loop may be used.
    func perform(_ work: @escaping @Sendable () -> Void)

    /// Runs `ring` on the thread once, after a time. Setting it again takes the place of what was set
    /// before.
    func setAlarm(afterMilliseconds delay: Int64, _ ring: @escaping @Sendable () -> Void)
}
