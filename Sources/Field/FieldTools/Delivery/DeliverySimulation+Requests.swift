import Delivery
import GeofenceAgent
import Simulation
import Timekeeping
import WireFormat

/// The uploader, as `UploadService.run` does it.
extension DeliverySimulation {
    /// Longest wait that anything may ask for, seconds: a deferral of a day.
    private static let longestWait = 86_400.001
    /// Plans in a row that find nothing.
    private static let planLimit = 20

    mutating func turn() throws {
        guard let queue else { return }
        for _ in 0..<Self.planLimit {
            let action = planner.step(
                at: clock.uptime, pendingCount: queue.counts.pending,
                owesAnchors: outbox.owesAnchors(from: queue))
            switch action {
            case .idle:
                wakeAt = now + Self.hour
                return
            case .wait(let until):
                let seconds = until.seconds(since: clock.uptime)
                guard seconds > 0, seconds <= Self.longestWait else {
                    throw DeliveryViolation("a wait of \(seconds) s")
                }
                let whole = until.milliseconds - clock.uptime.milliseconds
                // Now and then it looks early, as a wake for nothing makes it.
                let isEarly = random.uniform() < 0.1
                wakeAt = now + (isEarly ? max(1, Int64(Double(whole) * random.uniform())) : whole)
                return
            case .heartbeat:
                try begin(nil)
                return
            case .sendAnchors(let id):
                try begin(outbox.anchorBatch(id, from: queue))
                return
            case .send(let plan):
                guard let batch = try outbox.batch(for: plan, from: queue) else {
                    planner.foundNothing(at: clock.uptime)
                    continue
                }
                try account.check(
                    batch.events, limit: planner.isPaused ? 1 : policy.maxBatch, at: clock.uptime)
                try begin(batch)
                return
            }
        }
        throw DeliveryViolation("plan after plan finds nothing")
    }

    private mutating func begin(_ batch: OutgoingBatch?) throws {
        outcome.requests += 1
        try gate.began(
            at: clock.uptime, isAnchorsOnly: batch.map { $0.events.isEmpty } ?? false)
        let request: RunningRequest
        if let batch { request = journey(batch) } else { request = heartbeatJourney() }
        running = request
        say("\(batch.map { words($0) } ?? "heartbeat") -> \(words(request))")
    }

    // MARK: The way to the server and back

    private mutating func journey(_ batch: OutgoingBatch) -> RunningRequest {
        func ending(
            _ outcome: SendOutcome, _ words: [String: SimulatedServer.Word] = [:]
        ) -> RunningRequest.Ending { .batch(batch, outcome, words: words) }
        guard isLinkUp else {
            return request(.noRoute, ending(.unreachable(.noRoute, reason: "no route")))
        }
        guard serverBackAt <= now else {
            return request(
                .connectionRefused, ending(.unreachable(.connectFailed, reason: "refused")))
        }
        guard !isCalm, random.uniform() < climate.faultRate else {
            let reply = server.serve(batch)
            return request(
                nil, ending(SendOutcome(reply.answer, batchID: batch.batchID), reply.words))
        }
        let fault = DeliveryClimate.pick(climate.faults, &random)
        let (outcome, words) = answer(to: batch, fault)
        return request(fault, ending(outcome, words))
    }

    private mutating func request(
        _ fault: RequestFault?, _ ending: RunningRequest.Ending
    ) -> RunningRequest {
        RunningRequest(
            endsAt: now + milliseconds(in: fault?.seconds ?? 0.05..<0.6), ending: ending)
    }

    /// How a request ends that meets a fault, with the server's true words on its events.
    private mutating func answer(
        to batch: OutgoingBatch, _ fault: RequestFault
    ) -> (SendOutcome, [String: SimulatedServer.Word]) {
        func read(_ answer: HTTPAnswer) -> SendOutcome {
            SendOutcome(answer, batchID: batch.batchID)
        }
        func unreachable(
            _ state: ConnectivityState
        ) -> (SendOutcome, [String: SimulatedServer.Word]) {
            (.unreachable(state, reason: fault.rawValue), [:])
        }
        switch fault {
        case .noRoute: return unreachable(.noRoute)
        case .noName: return unreachable(.dnsFailed)
        case .connectionRefused: return unreachable(.connectFailed)
        case .badCertificate:
            return unreachable(isTimeKnown ? .tlsFailed : .clockUnsynchronised)
        case .requestLost: return unreachable(.serverBusy)
        case .falseReceipt:
            var kind = DeliveryClimate.pick(FalseReceipt.allCases, &random)
            // Without an event such an answer is the right one, and no stranger gives it.
            if batch.events.isEmpty, kind.isReadable { kind = .page }
            return (read(kind.answer(to: batch)), [:])
        case .portal:
            let portal = HTTPAnswer(status: 511, contentType: "text/html")
            return (read(random.uniform() < 0.5 ? FalseReceipt.page("text/html") : portal), [:])
        case .serverEndsBeforeCommit:
            serverBackAt = now + milliseconds(in: 0.5..<20)
            return unreachable(.serverBusy)
        case .serverEndsAfterCommit:
            _ = server.serve(batch)
            serverBackAt = now + milliseconds(in: 0.5..<20)
            return unreachable(.serverBusy)
        case .answerLost:
            _ = server.serve(batch)
            return unreachable(.serverBusy)
        case .requestDelayed:
            late.append((now + milliseconds(in: 30..<900), batch))
            late.sort { $0.at < $1.at }
            return unreachable(.serverBusy)
        case .halfAnswer:
            let reply = server.serve(batch)
            return half(read(reply.answer), reply.words)
        default:
            let mood = server.mood
            server.mood = passingMood(fault)
            let reply = server.serve(batch)
            server.mood = mood
            return fault == .cancelled ? (.cancelled, [:]) : (read(reply.answer), reply.words)
        }
    }

    private mutating func passingMood(_ fault: RequestFault) -> SimulatedServer.Mood {
        switch fault {
        case .busy:
            .busy(
                status: DeliveryClimate.pick([408, 425, 429, 500, 502, 503, 504], &random),
                retryAfterSeconds: DeliveryClimate.pick([nil, nil, 0, 5, 20], &random))
        case .busyForLong:
            .busy(
                status: DeliveryClimate.pick([429, 503], &random),
                retryAfterSeconds: DeliveryClimate.pick([120, 900, 100_000], &random))
        case .tooLarge: .busy(status: 413, retryAfterSeconds: nil)
        case .refusedWhole:
            .refusesAll(status: DeliveryClimate.pick([400, 422], &random))
        case .keyRefused: .refusesKey(status: DeliveryClimate.pick([401, 403], &random))
        case .elsewhere:
            .isElsewhere(status: DeliveryClimate.pick([404, 405, 410, 415, 426], &random))
        case .deferred:
            .defers(seconds: DeliveryClimate.pick([nil, 1, 40, 200], &random))
        default: server.mood
        }
    }

    /// A receipt in which half of the results are missing.
    private func half(
        _ outcome: SendOutcome, _ words: [String: SimulatedServer.Word]
    ) -> (SendOutcome, [String: SimulatedServer.Word]) {
        guard case .receipt(var receipt) = outcome else { return (outcome, words) }
        let kept = Set(receipt.results.keys.sorted().prefix(receipt.results.count / 2))
        receipt.results = receipt.results.filter { kept.contains($0.key) }
        return (.receipt(receipt), words.filter { kept.contains($0.key) })
    }

    private mutating func heartbeatJourney() -> RunningRequest {
        guard isLinkUp, serverBackAt <= now else {
            return request(
                .connectionRefused,
                .heartbeat(.unreachable(isLinkUp ? .connectFailed : .noRoute, reason: "-")))
        }
        guard !isCalm, random.uniform() < climate.faultRate else {
            return request(nil, .heartbeat(HeartbeatOutcome(server.serveHeartbeat())))
        }
        let outcome = DeliveryClimate.pick(
            [
                HeartbeatOutcome.unreachable(.dnsFailed, reason: "-"),
                .unreachable(.serverBusy, reason: "-"),
                .refused(Refusal(status: 503, retryAfterSeconds: 30)),
                HeartbeatOutcome(FalseReceipt.page("application/json")), .cancelled,
            ], &random)
        return request(.busy, .heartbeat(outcome))
    }

    // MARK: The end of a request

    mutating func end(_ request: RunningRequest) throws {
        running = nil
        guard let queue else { return }
        let chance = random.uniform()
        wakeAt = now
        switch request.ending {
        case .heartbeat(let heard):
            _ = planner.finished(heartbeat: heard, at: clock.uptime, random: chance)
            gate.ended(heard, at: clock.uptime, random: chance)
        case .batch(let batch, let answer, let words):
            let conclusion = planner.finished(
                answer, of: batch, at: clock.uptime, random: chance)
            try gate.ended(answer, of: batch, at: clock.uptime, random: chance)
            try account.check(
                conclusion.settlements, of: batch, outcome: answer, words: words)
            if case .receipt(let receipt) = answer {
                account.postpone(batch, receipt, at: clock.uptime)
            }
            try noteReceipt(words)
            try write(conclusion, of: batch, to: queue)
        }
    }

    private mutating func noteReceipt(_ words: [String: SimulatedServer.Word]) throws {
        guard isFirstReceiptDue, !words.isEmpty else { return }
        isFirstReceiptDue = false
        let seconds = Double(now - calmAt) / 1000
        outcome.firstReceiptSeconds = seconds
        guard seconds <= 310 else {
            throw DeliveryViolation("the first receipt came \(seconds) s after the last fault")
        }
    }

    private mutating func write(
        _ conclusion: UploadConclusion, of batch: OutgoingBatch, to queue: any EventQueue
    ) throws {
        let mayEnd = !isCalm && !conclusion.settlements.isEmpty && climate.kind == .crashes
        if mayEnd, random.uniform() < 0.15 {
            let fault: SimulatedDisk.Fault =
                random.uniform() < 0.5 ? .endsBeforeCommit : .endsAfterCommit
            if storage.arm(fault) { account.uncertain = .settlements(conclusion.settlements) }
        }
        do throws(QueueError) {
            try outbox.conclude(conclusion, of: batch, in: queue)
        } catch {
            guard error == .closed, account.uncertain != nil else { throw error }
            return try kill("within a settlement")
        }
        account.settled(conclusion.settlements, of: batch)
    }

    // MARK: In words

    private func words(_ batch: OutgoingBatch) -> String {
        guard let first = batch.events.first, let last = batch.events.last else {
            return "\(batch.batchID): anchors"
        }
        return "\(batch.batchID): \(batch.events.count) events, "
            + "\(first.position.sequence) to \(last.position.sequence)"
    }

    private func words(_ request: RunningRequest) -> String {
        let seconds = Double(request.endsAt - now) / 1000
        switch request.ending {
        case .heartbeat(let heard): return "\(heard) in \(seconds) s"
        case .batch(_, .receipt, let words):
            let kept = words.values.count { $0 == .kept }
            return "receipt for \(words.count), \(kept) kept, in \(seconds) s"
        case .batch(_, .refused(let refusal), _):
            let after = refusal.retryAfterSeconds.map { ", Retry-After \($0)" } ?? ""
            return "\(refusal.words)\(after) in \(seconds) s"
        case .batch(_, .unreachable(let state, let reason), _):
            return "\(state.rawValue) (\(reason)) in \(seconds) s"
        case .batch(_, .cancelled, _): return "cancelled"
        }
    }
}

extension FalseReceipt {
    /// Readable and for our batch: what makes it false are its results.
    fileprivate var isReadable: Bool {
        switch self {
        case .resultsForOthers, .unknownStatus, .everythingTwice: true
        default: false
        }
    }
}
