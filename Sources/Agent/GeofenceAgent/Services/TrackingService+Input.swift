import Positioning
import Timekeeping

extension TrackingService {
    /// Takes what `source` tells from now on, until `close`. What is due by time alone rides along
    /// with that; an alarm is for what cannot wait for it, and for a receiver that says nothing.
    func take(from source: any FixSource, on thread: any ControlThread) {
        let inbox = Inbox()
        input = Input(inbox: inbox, thread: thread, lastTick: time.uptime)
        source.start { [weak self] event in
            guard inbox.put(event), let service = self else { return }
            thread.perform { service.assumeIsolated { $0.takeInput() } }
        }
        setAlarm()
    }

    /// Takes in whether the device is told that it stays.
    func take(hint isStationary: Bool) {
        guard input != nil else { return }
        let now = time.uptime
        log.write(LogLine(.info, "hint: the device \(isStationary ? "stays" : "may move")"))
        record(.hint(stationary: isStationary), at: now)
        settle(
            pipeline.hint(stationary: isStationary, at: now, wallClock: time.wallClock))
        setAlarm()
    }

    private func takeInput() {
        guard let delivery = input?.inbox.take() else { return }
        noteDropped(delivery.dropped)
        for event in delivery.events { take(event) }
        tickIfDue()
    }

    private func tickIfDue() {
        guard let lastTick = input?.lastTick else { return }
        let now = time.uptime
        let isDue = pipeline.nextDeadline.map { $0 <= now } ?? false
        if isDue || now.milliseconds - lastTick.milliseconds >= Self.tickMilliseconds {
            tick()
            input?.lastTick = now
        }
        setAlarm()
    }

    private func setAlarm() {
        guard let input else { return }
        let now = time.uptime
        var due = input.lastTick.advanced(byMilliseconds: Self.longestPauseMilliseconds)
        if let deadline = pipeline.nextDeadline, deadline < due { due = deadline }
        let pause = max(Self.shortestPauseMilliseconds, due.milliseconds - now.milliseconds)
        liveness.begin(.controlLoop, within: Double(pause) / 1000)
        input.thread.setAlarm(afterMilliseconds: pause) { [weak self] in
            self?.assumeIsolated { $0.tickIfDue() }
        }
    }

    /// Where input comes from, and when the passing of time was last looked at.
    struct Input {
        let inbox: Inbox
        let thread: any ControlThread
        var lastTick: Uptime
    }

    /// Between two ticks at least, a little less than the period of most receivers.
    private static let tickMilliseconds: Int64 = 900
    /// Between two ticks at most: longer than that period, so that input comes first.
    private static let longestPauseMilliseconds: Int64 = 1500
    /// So that a deadline that does not go away costs little.
    private static let shortestPauseMilliseconds: Int64 = 100
}
