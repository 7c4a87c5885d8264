import Glibc
import LinuxSystem
import NMEA
import Positioning
import Timekeeping

/// What the thread of a `SerialFixSource` does: opens, reads, closes, waits, until it is stopped.
struct SerialReader {
    /// Bytes read at a time: more than a receiver sends in a second at 38,400 baud.
    static let bufferSize = 4096

    /// What the thread shares with the rest of the program.
    struct Surroundings: Sendable {
        var configuration: SerialFixSource.Configuration
        var timekeeper: any Timekeeper
        var published: SerialPublication
        var stop: WakeEvent
        var rememberBaud: @Sendable (_ stablePath: String, _ baud: Int) -> Void
        var deliver: @Sendable (SourceEvent) -> Void
    }

    private enum End {
        case stopped
        case hungUp
        case silent
        /// What talks at this port is no receiver.
        case noReceiver
    }

    private let surroundings: Surroundings
    private let reasons = SerialReasons()
    private var ports: ReceiverPorts
    private var delay = RetryDelay()
    private var knownBaud: [String: Int]
    /// Since when ports that were opened again have been silent, by stable name.
    private var silentSince: [String: Uptime] = [:]
    /// After a read of fewer bytes, a quarter of what a terminal holds, more may arrive before the
    /// next one.
    private static let gatherLimit = 1024
    /// How long: the shortest pause that closes an epoch is as long.
    private static let gatherMilliseconds: Int64 = 60
    /// How long where the epoch is expected to end just now.
    private static let shortGatherMilliseconds: Int64 = 25

    private var decoder: NMEADecoder
    private var reporter = HealthReporter()
    private var snapshot = SerialFixSource.Snapshot()
    private var buffer = [UInt8](repeating: 0, count: bufferSize)
    private var descriptors = [pollfd](repeating: pollfd(), count: 2)

    init(_ surroundings: Surroundings) {
        let configuration = surroundings.configuration
        self.surroundings = surroundings
        ports = ReceiverPorts(configured: configuration.path, root: configuration.root)
        knownBaud = configuration.lastGoodBaud
        decoder = NMEADecoder(configuration: configuration.decoder)
    }

    private var now: Uptime { surroundings.timekeeper.uptime }

    /// Runs until `stop` is signalled.
    mutating func run() {
        var pause = 0
        while !surroundings.stop.wait(milliseconds: pause) { pause = attempt() }
    }

    /// Opens a port and reads it to its end; gives the milliseconds to wait before the next attempt.
    private mutating func attempt() -> Int {
        guard let path = ports.current else {
            tell(reasons.nothingFound())
            return delay.next()
        }
        do throws(SerialLineError) {
            switch try read(path) {
            case .stopped, .silent, .noReceiver: return 0
            case .hungUp:
                tell(reasons.hungUp(path))
                return delay.next()
            }
        } catch {
            ports.skip()
            tell(reasons.health(of: error))
            return delay.next()
        }
    }

    private mutating func read(_ path: String) throws(SerialLineError) -> End {
        let name = ports.stableName(of: path)
        let hunt = BaudHunt(
            configured: surroundings.configuration.baud, lastGood: knownBaud[name], at: now)
        let line = try SerialLine.open(path, baud: hunt.speed)
        ports.noteOpened(path)
        let hunts = Self.hunts(line.devicePath, line.hasSpeed)
        var session = SerialSession(
            name: name, device: line.devicePath, baud: line.hasSpeed ? hunt.speed : nil,
            isSpeedReal: hunts,
            watch: SerialWatch(
                openedAt: now, hunt: hunts ? hunt : nil,
                silentSince: silentSince[name], hasAlternatives: ports.hasAlternatives))
        snapshot.devicePath = session.device
        snapshot.baud = session.baud
        snapshot.openings += 1
        publish()
        surroundings.deliver(.opened)
        let end = listen(to: line, &session)
        endSentences(&session)
        silentSince[name] = end == .silent ? session.watch.quietSince : nil
        if session.watch.hasHeardReceiver { delay.reset() } else { ports.skip() }
        snapshot.devicePath = nil
        if case .hungUp = end { snapshot.hangUps += 1 }
        publish()
        return end
    }

    /// A USB modem device ignores its speed, and what has none cannot have a wrong one.
    private static func hunts(_ device: String, _ hasSpeed: Bool) -> Bool {
        let name = device.split(separator: "/").last ?? ""
        return hasSpeed && !name.hasPrefix("ttyACM")
    }

    private mutating func listen(to line: borrowing SerialLine, _ session: inout SerialSession)
        -> End
    {
        while true {
            switch session.watch.decide(at: now) {
            case .reopen:
                tell(session, always: true)
                return .silent
            case .giveUp: return .noReceiver
            case .setSpeed(let baud):
                guard change(line, to: baud, &session) else { return .hungUp }
            case .keepSpeed(let baud): keep(baud, session)
            case nil: break
            }
            tell(session)
            switch wait(for: line, session) {
            case .stopped: return .stopped
            case .look:
                switch receive(from: line, &session) {
                case .gone: return .hungUp
                case .nothing:
                    // The receiver is not where it was expected.
                    if !session.isLooking { session.rhythm.reset() }
                    session.isWaitingForMore = false
                case .bytes: session.isWaitingForMore = decoder.idleDeadline != nil
                }
                session.isLooking = session.isWaitingForMore
            case .nothing:
                pauseSentences(&session)
            }
        }
    }

    private enum Wake {
        case stopped, look, nothing
    }

    /// Waits until there is something to do: bytes, or the time at which they are expected.
    private mutating func wait(for line: borrowing SerialLine, _ session: SerialSession) -> Wake {
        let start = now
        if session.isWaitingForMore, session.lastCount < Self.gatherLimit {
            // A slow line hands over a few bytes at a time; let some more arrive.
            let milliseconds =
                session.rhythm.aim == nil ? Self.gatherMilliseconds : Self.shortGatherMilliseconds
            return sleep(line, milliseconds)
        }
        if let aim = session.rhythm.aim, aim > start, decoder.idleDeadline == nil {
            return sleep(line, aim.milliseconds - start.milliseconds)
        }
        let deadline = min(
            session.watch.deadline(after: start),
            decoder.idleDeadline ?? .init(milliseconds: .max))
        switch poll(line, Int16(POLLIN), deadline.milliseconds - start.milliseconds) {
        case .look:
            guard session.lastCount < Self.gatherLimit else { return .look }
            return sleep(line, Self.gatherMilliseconds)
        case let other: return other
        }
    }

    /// Lets bytes arrive for a while; a hang-up or a stop ends it at once.
    private mutating func sleep(_ line: borrowing SerialLine, _ milliseconds: Int64) -> Wake {
        poll(line, 0, milliseconds) == .stopped ? .stopped : .look
    }

    private mutating func poll(
        _ line: borrowing SerialLine, _ events: Int16, _ milliseconds: Int64
    ) -> Wake {
        descriptors[0] = pollfd(fd: line.number, events: events, revents: 0)
        descriptors[1] = pollfd(
            fd: surroundings.stop.number, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&descriptors, 2, Int32(clamping: max(0, milliseconds))) > 0 else {
            return .nothing
        }
        return descriptors[1].revents != 0 ? .stopped : .look
    }

    private enum Received {
        case gone, nothing, bytes
    }

    /// Takes what has arrived.
    private mutating func receive(
        from line: borrowing SerialLine, _ session: inout SerialSession
    ) -> Received {
        let count: Int
        do throws(SystemError) {
            guard let read = try line.read(into: &buffer) else { return .nothing }
            count = read
        } catch {
            return .gone
        }
        let uptime = now
        guard count > 0 else { return .gone }
        let bytes = buffer[..<count]
        let before = decoder.counters
        decode(&session, at: uptime, { .bytes(Array(bytes)) }) { decoder, emit in
            decoder.consume(bytes, at: uptime, emit: emit)
        }
        let after = decoder.counters
        session.watch.note(
            bytes: count, sentences: after.checksummed - before.checksummed,
            frames: after.ubxFrames + after.rtcmFrames - before.ubxFrames - before.rtcmFrames,
            at: uptime)
        session.noteBytes(count, at: uptime)
        noteEpochs(since: before, &session)
        snapshot.counters = after
        snapshot.timeCounts = decoder.timeCounts
        publish()
        return .bytes
    }

    /// Learns the rhythm of the line from the epochs that the last bytes, or a pause, completed.
    private func noteEpochs(since before: NMEACounters, _ session: inout SerialSession) {
        switch decoder.counters.epochs - before.epochs {
        case 0: break
        case 1 where decoder.idleDeadline == nil:
            session.noteEpoch(period: decoder.periodMilliseconds)
        default: session.rhythm.reset()
        }
    }

    /// Runs the decoder and delivers what comes of it: fix by fix, or where somebody records in one
    /// piece with the input.
    private mutating func decode(
        _ session: inout SerialSession, at uptime: Uptime, _ input: () -> Reception.Input,
        _ run: (inout NMEADecoder, (Fix) -> Void) -> Void
    ) {
        let deliver = surroundings.deliver
        guard surroundings.configuration.deliversRawBytes else {
            run(&decoder) { fix in
                session.watch.note(fix)
                deliver(.fix(fix))
            }
            return
        }
        var fixes: [Fix] = []
        run(&decoder) { fixes.append($0) }
        for fix in fixes { session.watch.note(fix) }
        deliver(.received(Reception(input(), at: uptime, fixes: fixes)))
    }

    private mutating func pauseSentences(_ session: inout SerialSession) {
        let uptime = now
        guard let deadline = decoder.idleDeadline, uptime >= deadline else { return }
        let before = decoder.counters
        decode(&session, at: uptime, { .pause }) { $0.idle(at: uptime, emit: $1) }
        noteEpochs(since: before, &session)
    }

    private mutating func endSentences(_ session: inout SerialSession) {
        let uptime = now
        decode(&session, at: uptime, { .end }) { $0.finish(at: uptime, emit: $1) }
    }

    /// What was half received at the old speed is not continued at the new one.
    private mutating func change(
        _ line: borrowing SerialLine, to baud: Int, _ session: inout SerialSession
    ) -> Bool {
        endSentences(&session)
        session.rhythm.reset()
        session.baud = baud
        snapshot.baud = baud
        publish()
        do throws(SystemError) {
            try line.setSpeed(baud)
            return true
        } catch {
            // A driver that does not know this speed is no reason to stop the hunt.
            return error.code == EOPNOTSUPP || error.code == EINVAL
        }
    }

    private mutating func keep(_ baud: Int, _ session: SerialSession) {
        guard knownBaud[session.name] != baud else { return }
        knownBaud[session.name] = baud
        surroundings.rememberBaud(session.name, baud)
    }

    private mutating func tell(_ session: SerialSession, always: Bool = false) {
        let uptime = now
        let condition = session.watch.condition(at: uptime)
        guard always || reporter.isDue(condition.state, at: uptime) else { return }
        tell(reasons.health(of: condition, device: session.device, speed: session.baud))
    }

    private mutating func tell(_ health: SourceHealth) {
        if let news = reporter.report(health, at: now) { surroundings.deliver(.health(news)) }
    }

    private func publish() {
        let current = snapshot
        surroundings.published.value.withLock { $0 = current }
    }
}

extension NMEACounters {
    /// Sentences with a good checksum, whatever their fields are.
    var checksummed: Int { accepted + malformed }
}
