import Delivery
import GeofenceAgent
import Geofencing
import Simulation
import Timekeeping

/// What happens to the device and around it.
extension DeliverySimulation {
    mutating func incident() throws {
        let gap = climate.hours * 3600 / Double(climate.incidents)
        incidentAt = now + milliseconds(in: 0..<(2 * gap))
        let incident = climate.incident(&random)
        guard queue != nil else { return }
        switch incident {
        case .events: try commit(Int.random(in: 1...4, using: &random))
        case .link: changeLink(to: random.uniform() < 0.6)
        case .kill: try kill("killed")
        case .restart: try stop()
        case .reboot: try reboot()
        case .suspend: suspend()
        case .wallClock: jump()
        case .learnTime: try learnTime()
        case .mood: changeMood()
        case .configure: configure()
        case .flush:
            say("a person asks for an upload")
            planner.flush()
            gate.flushed()
            account.forgetDeferrals()
            if running == nil { wakeAt = now }
        case .damage: try damage()
        }
    }

    // MARK: Events

    mutating func commit(_ count: Int, anchor: ClockAnchor? = nil) throws {
        guard let queue else { return }
        var values: [StateKey: [UInt8]?] = outbox.unstoredValues
        if count > 0 { values[.pipeline] = Array(String(account.commits + 1).utf8) }
        if !isCalm, climate.kind == .crashes, count > 0, random.uniform() < 0.2 {
            let fault: SimulatedDisk.Fault =
                random.uniform() < 0.5 ? .endsBeforeCommit : .endsAfterCommit
            if storage.arm(fault) { account.uncertain = .events(count: count, madeAt: now) }
        }
        let drafts = (0..<count).map { _ in draft() }
        let events: [Event]
        do throws(QueueError) {
            events = try queue.commit(
                drafts, state: StateUpdate(values: values, clockAnchor: anchor))
        } catch {
            guard error == .closed, account.uncertain != nil else { throw error }
            return try kill("within a commit of \(count)")
        }
        outbox.noteStored()
        try account.committed(events, drafts: count, at: now)
        if let anchor { account.anchored(anchor.bootID) }
        say("committed \(events.map { "\($0.position.sequence) \($0.content.kind.rawValue)" })")
        for event in events.suffix(count) where !isCalm {
            if random.uniform() < climate.poisonRate { server.addPoison(event.clientEventID) }
            if random.uniform() < climate.unwantedRate { server.addUnwanted(event.clientEventID) }
        }
        if running == nil { wakeAt = now }
    }

    private static let kinds: [EventKind] = [
        .enter, .exit, .pass, .dwell, .visitStarted, .visitEnded,
    ]

    private mutating func draft() -> EventDraft {
        drafted += 1
        let truth = Self.epoch.advanced(byMilliseconds: now)
        let moment = Moment(uptime: clock.uptime, utc: isTimeKnown ? truth : nil)
        return EventDraft(
            kind: DeliveryClimate.pick(Self.kinds, &random), fenceID: "f\(drafted % 7)",
            bootID: clock.bootID, occurred: moment, detected: moment, wallClock: clock.wallClock,
            timeQuality: isTimeKnown ? .gnss : .monotonicOnly)
    }

    // MARK: Program and machine

    mutating func start() throws {
        let queue = try storage.open(time: clock)
        self.queue = queue
        outcome.starts += 1
        outbox = QueueOutbox()
        outbox.restore(from: queue)
        planner = UploadPlanner(
            policy: policy, batchPrefix: "r\(outcome.starts)", phase: random.uniform())
        gate = RequestGate(capSeconds: policy.backoffCapSeconds)
        watch = NetworkWatch(at: monotonic)
        lookAt = now
        wakeAt = now
        running = nil
        try account.reconcile(queue, at: now)
        say("the agent starts, \(account.counts.pending) pending")
    }

    /// The program ends at once; a request that is under way ends without it.
    mutating func kill(_ reason: String) throws {
        say("the agent ends: \(reason)")
        try storage.kill()
        queue = nil
        running = nil
        startAt = now + milliseconds(in: 0.5..<20)
    }

    private mutating func stop() throws {
        say("the agent is stopped")
        queue?.close()
        try storage.kill()
        queue = nil
        running = nil
        startAt = now + milliseconds(in: 0.5..<20)
    }

    private mutating func reboot() throws {
        try kill("the power fails")
        let off = milliseconds(in: 5..<600)
        clock.reboot(afterMilliseconds: off)
        now += off
        suspended = 0
        startAt = now + milliseconds(in: 5..<40)
        // Without a battery the clock stands where it was, or in 1970, until somebody corrects it.
        if climate.kind == .clocks, random.uniform() < 0.6 {
            isTimeKnown = false
            let isLost = random.uniform() < 0.5
            clock.setWallClock(
                UTCTime(
                    millisecondsSince1970: isLost
                        ? 0 : clock.wallClock.time.millisecondsSince1970 - off),
                isSynchronised: false)
        }
    }

    /// BOOTTIME goes on, MONOTONIC stands.
    private mutating func suspend() {
        let time = milliseconds(in: 3..<7200)
        say("the machine sleeps for \(time / 1000) s")
        clock.advance(milliseconds: time)
        now += time
        suspended += time
        running?.cut(at: now + 1)
        lookAt = now
    }

    private var monotonic: Int64 { clock.uptime.milliseconds - suspended }

    private mutating func damage() throws {
        try kill("and its file is spoilt")
        try storage.damage(&random)
        account.isSpoilt = true
    }

    // MARK: Clocks

    private mutating func jump() {
        let years = random.uniform(in: -10..<10)
        let by = Int64(years * 365.25 * 86_400_000)
        say("the wall clock jumps by \(years) years")
        clock.setWallClock(clock.wallClock.time.advanced(byMilliseconds: by), isSynchronised: false)
    }

    /// A receiver says what time it is, give or take a third of a second; or a time server.
    private mutating func learnTime() throws {
        let truth = Self.epoch.advanced(byMilliseconds: now)
        let isReceiver = random.uniform() < 0.7
        let error = Int64(random.uniform(in: -300..<300))
        isTimeKnown = true
        if !isReceiver { clock.setWallClock(truth, isSynchronised: true) }
        say("the time is known")
        try commit(
            0,
            anchor: ClockAnchor(
                bootID: clock.bootID, uptime: clock.uptime,
                utc: truth.advanced(byMilliseconds: error),
                source: isReceiver ? .gnss : .disciplined))
    }

    // MARK: Network and server

    private mutating func changeLink(to isUp: Bool) {
        say(isUp ? "the link is up" : "the link is down")
        if !isUp, isLinkUp {
            let cutAt = now + milliseconds(in: 0.01..<15)
            running?.cut(at: cutAt)
        }
        isLinkUp = isUp
        if queue != nil {
            watch.heard(at: monotonic)
            lookAt = min(lookAt ?? .max, now + NetworkWatch.settleMilliseconds)
        }
    }

    /// As `NetworkService` does it.
    mutating func look() {
        lookAt = nil
        let view = NetworkView(
            defaultRoutes: isLinkUp ? ["eth0 via 10.0.0.1"] : [], addresses: ["10.0.0.2"])
        guard
            let news = watch.looked(view, suspendedMilliseconds: suspended, at: monotonic)
        else { return }
        let chance = random.uniform()
        say("the network changed, \(news.hasRoute ? "a" : "no") route")
        planner.networkChanged(hasRoute: news.hasRoute, at: clock.uptime, random: chance)
        gate.networkChanged(hasRoute: news.hasRoute, at: clock.uptime, random: chance)
        if running == nil { wakeAt = now }
    }

    private mutating func changeMood() {
        let moods: [SimulatedServer.Mood] = [
            .healthy, .healthy, .healthy, .busy(status: 503, retryAfterSeconds: 20),
            .busy(status: 429, retryAfterSeconds: nil), .refusesKey(status: 401),
            .isElsewhere(status: 404), .defers(seconds: 300), .defers(seconds: nil),
            .refusesAll(status: 422),
        ]
        server.mood = DeliveryClimate.pick(moods, &random)
        say("the server is \(server.mood)")
    }

    private mutating func configure() {
        policy.intervalSeconds = DeliveryClimate.pick([0, 5, 60], &random)
        policy.backoffCapSeconds = DeliveryClimate.pick([60, 300, 900], &random)
        planner.configure(policy)
        gate.configured(capSeconds: policy.backoffCapSeconds)
        if running == nil { wakeAt = now }
    }

    // MARK: The end

    /// From now on everything works.
    mutating func calm() throws {
        say("from now on everything works")
        isCalm = true
        nextProbe = now
        let wasHealthy = server.mood == .healthy && isLinkUp && serverBackAt <= now
        server.mood = .healthy
        serverBackAt = 0
        if climate.kind == .stuck, wasHealthy {
            // What was under way ends with the faults; what waits for the server's word or its pause
            // would wait in a clean network, too.
            if let running, running.endsAt > now { self.running?.cut(at: now) }
            isFirstReceiptDue = account.counts.pending > 0 && queue != nil
        }
        if !isLinkUp { changeLink(to: true) }
        if queue == nil {
            startAt = min(startAt, now + 1000)
            nextProbe = startAt + 1000
        }
    }

    /// A late time has to reach the server without an event.
    var neededProbes: Int { climate.kind == .clocks ? 2 : 1 }

    /// Something good to send now and then: what was refused alone waits for it.
    mutating func probe() throws {
        nextProbe = now + Self.hour / 2
        guard queue != nil else { return }
        probes += 1
        if probes < neededProbes { nextProbe = now + 60_000 }
        if probes == 2, climate.kind == .clocks { try learnTime() } else { try commit(1) }
    }
}
