import Glibc
import LinuxSystem
import Positioning
import Timekeeping
import WireFormat

/// What the thread of a `GPSDFixSource` does: connects, reads, waits, until it is stopped.
struct GPSDReader {
    /// Lines that are taken in before looking whether to stop.
    static let greatestDrain = 256
    /// How long more lines are waited for before reading: gpsd sends the reports of one epoch one by
    /// one, and waking for each would cost more than all the rest.
    static let gatherMilliseconds: Int32 = 25

    /// What the thread shares with the rest of the program.
    struct Surroundings: Sendable {
        var configuration: GPSDFixSource.Configuration
        var timekeeper: any Timekeeper
        var published: GPSDPublication
        var stop: WakeEvent
        var deliver: @Sendable (SourceEvent) -> Void
    }

    private enum End {
        case stopped
        case lost(GPSDConnection.End)
        case unanswered
    }

    private let surroundings: Surroundings
    private let reasons: GPSDReasons
    private var delay = RetryDelay()
    private var decoder: GPSDDecoder
    private var reporter = HealthReporter()
    private var snapshot = GPSDFixSource.Snapshot()
    /// Since when there is no TPV, while there is none.
    private var silentSince: Uptime?
    private var lastEnd: (end: GPSDConnection.End, count: Int)?

    init(_ surroundings: Surroundings) {
        self.surroundings = surroundings
        reasons = GPSDReasons(address: surroundings.configuration.address)
        decoder = GPSDDecoder(configuration: surroundings.configuration.decoder)
    }

    private var now: Uptime { surroundings.timekeeper.uptime }

    /// Runs until `stop` is signalled.
    mutating func run() {
        var pause = 0
        while !surroundings.stop.wait(milliseconds: pause) { pause = attempt() }
    }

    /// Connects and reads to the end; gives the milliseconds to wait before the next attempt.
    private mutating func attempt() -> Int {
        do throws(SystemError) {
            switch connect(try GPSDOpening(surroundings.configuration.address)) {
            case nil: return 0
            case .failure(let error): tell(reasons.health(of: error))
            case .success(let connection): return converse(over: connection)
            }
        } catch {
            tell(SourceHealth(.noDevice, "cannot connect to gpsd: \(error)"))
        }
        return pause()
    }

    /// Waits for the connection; nil when it is to stop.
    private mutating func connect(_ opening: GPSDOpening) -> GPSDOpening.Outcome? {
        let began = now
        while true {
            let seconds = Int(now.seconds(since: began))
            // What was wrong the last time stands until it is known whether it still is.
            if reporter.isSilent || seconds >= Self.patienceSeconds {
                tellIfDue(reasons.connecting(seconds: seconds))
            }
            var descriptors = [
                pollfd(fd: surroundings.stop.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: opening.finished.number, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&descriptors, 2, 1000)
            if descriptors[0].revents != 0 {
                opening.abandon()
                return nil
            }
            if descriptors[1].revents != 0, let outcome = opening.take() { return outcome }
        }
    }

    private static let patienceSeconds = 5

    private mutating func converse(over connection: GPSDConnection) -> Int {
        var watch = GPSDWatch(
            openedAt: now, silentSince: silentSince, timing: surroundings.configuration.timing)
        snapshot.isConnected = true
        snapshot.openings += 1
        publish()
        surroundings.deliver(.opened)
        let end = connection.watch() ? listen(to: connection, &watch) : .lost(.broken(errno))
        finishEpoch(&watch)
        silentSince = watch.silentSince
        if watch.hasHeardReceiver { delay.reset() }
        snapshot.isConnected = false
        snapshot.devicePath = nil
        if case .stopped = end {} else { snapshot.hangUps += 1 }
        publish()
        switch end {
        case .stopped: return 0
        case .unanswered:
            if case .silent = watch.condition(at: now) {
                tell(watch)
            } else {
                tell(reasons.unanswered())
            }
        case .lost(let end):
            let count = lastEnd?.end == end ? (lastEnd?.count ?? 0) + 1 : 1
            lastEnd = (end, count)
            tell(reasons.ended(end, repeats: count))
        }
        return pause()
    }

    private mutating func pause() -> Int {
        surroundings.configuration.retryMilliseconds
            ?? delay.next(jitter: Double.random(in: 0...1))
    }

    private mutating func listen(to connection: GPSDConnection, _ watch: inout GPSDWatch) -> End {
        while true {
            switch watch.decide(at: now) {
            case .ask:
                snapshot.questions += 1
                publish()
                guard connection.askDevices() else { return .lost(.broken(errno)) }
            case .reconnect: return .unanswered
            case nil: break
            }
            tell(watch)
            switch wait(for: connection, watch) {
            case .stopped: return .stopped
            case .data:
                if let end = drain(connection, &watch) { return .lost(end) }
            case .nothing: closeEpoch(&watch)
            }
        }
    }

    private enum Wake {
        case stopped, data, nothing
    }

    private func wait(for connection: GPSDConnection, _ watch: GPSDWatch) -> Wake {
        let start = now
        let deadline = min(
            watch.deadline(after: start), decoder.idleDeadline ?? .init(milliseconds: .max))
        let milliseconds = max(0, deadline.milliseconds - start.milliseconds)
        var descriptors = [
            pollfd(fd: connection.number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: surroundings.stop.number, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&descriptors, 2, Int32(clamping: milliseconds)) > 0 else { return .nothing }
        if descriptors[1].revents != 0 { return .stopped }
        guard descriptors[0].revents != 0 else { return .nothing }
        var stop = pollfd(fd: surroundings.stop.number, events: Int16(POLLIN), revents: 0)
        return poll(&stop, 1, Self.gatherMilliseconds) > 0 ? .stopped : .data
    }

    /// Takes everything that has arrived, for libgps keeps lines where poll(2) does not see them;
    /// gives why the connection ended, if it did.
    private mutating func drain(
        _ connection: GPSDConnection, _ watch: inout GPSDWatch
    ) -> GPSDConnection.End? {
        while true {
            var lines: [[UInt8]] = []
            var end: GPSDConnection.End?
            var isEmpty = false
            reading: while lines.count < Self.greatestDrain {
                snapshot.reads += 1
                switch connection.read() {
                case .line(let line): lines.append(line)
                case .nothing:
                    isEmpty = true
                    break reading
                case .end(let reason):
                    end = reason
                    break reading
                }
            }
            take(lines, &watch)
            if isEmpty || end != nil { return end }
            if surroundings.stop.wait(milliseconds: 0) { return nil }
        }
    }

    private mutating func take(_ lines: [[UInt8]], _ watch: inout GPSDWatch) {
        let uptime = now
        if surroundings.configuration.deliversReports, !lines.isEmpty {
            surroundings.deliver(.report(lines.flatMap { $0 + [0x0A] }, uptime))
        }
        let deliver = surroundings.deliver
        for line in lines {
            let report = decoder.take(line: line[...], at: uptime) { fix in
                watch.note(fix)
                deliver(.fix(fix))
            }
            if case .version(let release) = report { snapshot.release = release }
            watch.note(report, at: uptime)
        }
        snapshot.devicePath = decoder.device
        publish()
    }

    private mutating func closeEpoch(_ watch: inout GPSDWatch) {
        let deliver = surroundings.deliver
        decoder.idle(at: now) { fix in
            watch.note(fix)
            deliver(.fix(fix))
        }
        publish()
    }

    private mutating func finishEpoch(_ watch: inout GPSDWatch) {
        let deliver = surroundings.deliver
        decoder.finish(at: now) { fix in
            watch.note(fix)
            deliver(.fix(fix))
        }
    }

    private mutating func tell(_ watch: GPSDWatch) {
        let condition = watch.condition(at: now)
        guard reporter.isDue(condition.state, at: now) else { return }
        // After a lost connection another one alone says nothing: it may be lost the same way.
        if condition == .waiting, reporter.state == .noDevice, !watch.hasHeardGPSD { return }
        tell(reasons.health(of: condition, release: snapshot.release))
    }

    private mutating func tellIfDue(_ health: SourceHealth) {
        if reporter.isDue(health.state, at: now) { tell(health) }
    }

    private mutating func tell(_ health: SourceHealth) {
        if let news = reporter.report(health, at: now) { surroundings.deliver(.health(news)) }
    }

    private mutating func publish() {
        snapshot.counters = decoder.counters
        snapshot.timeCounts = decoder.timeCounts
        let current = snapshot
        surroundings.published.value.withLock { $0 = current }
    }
}
