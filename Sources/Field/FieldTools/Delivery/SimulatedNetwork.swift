import Delivery
import Simulation
import WireFormat

/// What lies between the device and its server, and the server: the link, and what befalls a request.
struct SimulatedNetwork {
    var server: SimulatedServer
    var isLinkUp = true
    /// When the server runs again, milliseconds of the simulation.
    var serverBackAt: Int64 = 0
    /// Nothing befalls a request any more.
    var isCalm = false
    /// Requests that arrive after the agent has given them up, by their time.
    private(set) var late: [(at: Int64, batch: OutgoingBatch)] = []
    /// Events that were refused alone: no passing fault refuses one again, a server's mood may.
    private var refusedAlone: Set<String> = []
    private let faults: [RequestFault]
    private let faultRate: Double

    /// `faultRate` is the share of requests that meet one of `faults`.
    init(server: SimulatedServer, faults: [RequestFault], faultRate: Double) {
        self.server = server
        self.faults = faults
        self.faultRate = faultRate
    }

    /// Takes a batch to the server, or as far as it gets.
    mutating func carry(
        _ batch: OutgoingBatch, at now: Int64, isTimeKnown: Bool, _ random: inout SeededGenerator
    ) -> RunningRequest {
        func request(
            _ fault: RequestFault?, _ outcome: SendOutcome,
            _ words: [String: SimulatedServer.Word] = [:]
        ) -> RunningRequest {
            note(outcome, of: batch)
            return RunningRequest(
                fault, .batch(batch, outcome, words: words), startsAt: now, &random)
        }
        guard isLinkUp else {
            return request(.noRoute, .unreachable(.noRoute, reason: "no route"))
        }
        guard serverBackAt <= now else {
            return request(.connectionRefused, .unreachable(.connectFailed, reason: "refused"))
        }
        guard !isCalm, random.uniform() < faultRate,
            case let fault = DeliveryClimate.pick(faults, &random), mayMeet(fault, batch)
        else {
            let reply = server.serve(batch)
            return request(nil, SendOutcome(reply.answer, batchID: batch.batchID), reply.words)
        }
        let (outcome, words) = answer(
            to: batch, fault, at: now, isTimeKnown: isTimeKnown, &random)
        return request(fault, outcome, words)
    }

    private mutating func note(_ outcome: SendOutcome, of batch: OutgoingBatch) {
        guard case .refused(let refusal) = outcome, [400, 413, 422].contains(refusal.status),
            batch.events.count == 1
        else { return }
        refusedAlone.insert(batch.events[0].clientEventID)
    }

    private func mayMeet(_ fault: RequestFault, _ batch: OutgoingBatch) -> Bool {
        guard fault == .refusedWhole || fault == .tooLarge, batch.events.count == 1 else {
            return true
        }
        return !refusedAlone.contains(batch.events[0].clientEventID)
    }

    /// How a request ends that meets a fault, with the server's true words on its events.
    private mutating func answer(
        to batch: OutgoingBatch, _ fault: RequestFault, at now: Int64, isTimeKnown: Bool,
        _ random: inout SeededGenerator
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
            serverBackAt = now + random.milliseconds(in: 0.5..<20)
            return unreachable(.serverBusy)
        case .serverEndsAfterCommit:
            _ = server.serve(batch)
            serverBackAt = now + random.milliseconds(in: 0.5..<20)
            return unreachable(.serverBusy)
        case .answerLost:
            _ = server.serve(batch)
            return unreachable(.serverBusy)
        case .requestDelayed:
            late.append((now + random.milliseconds(in: 30..<900), batch))
            late.sort { $0.at < $1.at }
            return unreachable(.serverBusy)
        case .halfAnswer:
            let reply = server.serve(batch)
            return Self.half(read(reply.answer), reply.words)
        default:
            let mood = server.mood
            server.mood = fault.mood(&random) ?? mood
            let reply = server.serve(batch)
            server.mood = mood
            return fault == .cancelled ? (.cancelled, [:]) : (read(reply.answer), reply.words)
        }
    }

    /// A receipt in which half of the results are missing.
    private static func half(
        _ outcome: SendOutcome, _ words: [String: SimulatedServer.Word]
    ) -> (SendOutcome, [String: SimulatedServer.Word]) {
        guard case .receipt(var receipt) = outcome else { return (outcome, words) }
        let kept = Set(receipt.results.keys.sorted().prefix(receipt.results.count / 2))
        receipt.results = receipt.results.filter { kept.contains($0.key) }
        return (.receipt(receipt), words.filter { kept.contains($0.key) })
    }

    /// The batch that arrives by now although nobody waits for it any more.
    mutating func takeLate(at now: Int64) -> OutgoingBatch? {
        guard let first = late.first, first.at <= now else { return nil }
        late.removeFirst()
        _ = server.serve(first.batch)
        return first.batch
    }

    mutating func carryHeartbeat(
        at now: Int64, _ random: inout SeededGenerator
    ) -> RunningRequest {
        guard isLinkUp, serverBackAt <= now else {
            let state: ConnectivityState = isLinkUp ? .connectFailed : .noRoute
            return RunningRequest(
                .connectionRefused, .heartbeat(.unreachable(state, reason: "-")), startsAt: now,
                &random)
        }
        guard !isCalm, random.uniform() < faultRate else {
            return RunningRequest(
                nil, .heartbeat(HeartbeatOutcome(server.serveHeartbeat())), startsAt: now, &random)
        }
        let outcome = DeliveryClimate.pick(
            [
                HeartbeatOutcome.unreachable(.dnsFailed, reason: "-"),
                .unreachable(.serverBusy, reason: "-"),
                .refused(Refusal(status: 503, retryAfterSeconds: 30)),
                HeartbeatOutcome(FalseReceipt.page("application/json")), .cancelled,
            ], &random)
        return RunningRequest(.busy, .heartbeat(outcome), startsAt: now, &random)
    }
}

extension FalseReceipt {
    /// Readable and for our batch: what makes it false are its results.
    fileprivate var isReadable: Bool {
        switch self {
        case .resultsForOthers, .resultsWithoutStatus, .unknownStatus, .everythingTwice: true
        default: false
        }
    }
}
