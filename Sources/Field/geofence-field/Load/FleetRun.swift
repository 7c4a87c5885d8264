import Dispatch
import FieldTools
import HTTPTransport
import LinuxSystem
import Synchronization
import Timekeeping

/// Drives a fleet: devices that are due stand in line for a bounded number of connections, each with
/// a thread of its own.
final class FleetRun: Sendable {
    private let timekeeper = SystemTimekeeper()
    private let keys: [String]
    private let state: Mutex<State>
    /// Counts those in line, and one for each connection at the end.
    private let signal = DispatchSemaphore(value: 0)
    private let stopping = Atomic(false)

    private struct State {
        /// Nil: a connection has it, or it is done.
        var agents: [LoadAgent?]
        var due = DueTimes()
        var line: [(index: Int, since: Double)] = []
        var head = 0
        var doneCount = 0
        var made = 0
        var pending = 0
        var lost = 0
        var withoutFences = 0
        var isClosed = false
        var tally = LoadTally()
    }

    /// What came of it.
    struct Result {
        var tally: LoadTally
        var made: Int
        var pending: Int
        /// As `LoadAgent.lostResults`.
        var lost: Int
        /// Devices to which the server named none.
        var withoutFences: Int
    }

    /// `keys` holds the key of each device.
    init(_ plan: LoadPlan, keys: [String]) {
        self.keys = keys
        let start = timekeeper.uptime
        var state = State(agents: (0..<plan.devices).map { LoadAgent($0, of: plan, start: start) })
        for index in 0..<plan.devices { state.due.insert(index, at: start) }
        self.state = Mutex(state)
    }

    // MARK: The line

    /// Puts everybody who is due into the line; after `stop` everybody is.
    func queueDue() {
        let now = timekeeper.uptime
        let since = ElapsedClock.seconds
        let count = state.withLock { state in
            let before = state.line.count
            while let index = state.due.next(at: now) { state.line.append((index, since)) }
            return state.line.count - before
        }
        for _ in 0..<count { signal.signal() }
    }

    /// From now on the devices make no events, and are done once theirs are delivered.
    func stop() {
        stopping.store(true, ordering: .relaxed)
        let now = timekeeper.uptime
        state.withLock { state in
            for index in state.due.removeAll() { state.due.insert(index, at: now) }
        }
    }

    var doneCount: Int { state.withLock { $0.doneCount } }

    /// Ends the connections' threads.
    func close(connections: Int) {
        state.withLock { $0.isClosed = true }
        for _ in 0..<connections { signal.signal() }
    }

    /// To be asked after the threads have ended.
    var result: Result {
        state.withLock { state in
            var result = Result(
                tally: state.tally, made: state.made, pending: state.pending, lost: state.lost,
                withoutFences: state.withoutFences)
            for case let agent? in state.agents { result.add(agent) }
            return result
        }
    }

    private func take() -> (index: Int, agent: LoadAgent, waited: Double)? {
        let now = ElapsedClock.seconds
        return state.withLock { state in
            guard !state.isClosed, state.head < state.line.count else { return nil }
            let (index, since) = state.line[state.head]
            state.head += 1
            if state.head == state.line.count {
                state.line.removeAll(keepingCapacity: true)
                state.head = 0
            }
            guard let agent = state.agents[index] else { return nil }
            state.agents[index] = nil
            return (index, agent, now - since)
        }
    }

    // MARK: One connection

    /// Serves devices until `close`; for a thread of its own.
    func serve(on connection: HTTPConnection) {
        var tally = LoadTally()
        while true {
            signal.wait()
            guard let (index, agent, waited) = take() else { break }
            var device = agent
            tally.waits.add(waited)
            let next = perform(&device, key: keys[index], on: connection, &tally)
            let finished = device
            state.withLock { state in
                if let next {
                    state.agents[index] = finished
                    // A device that stops must not wait for what it would have done next.
                    state.due.insert(index, at: next)
                } else {
                    state.doneCount += 1
                    state.made += Int(finished.counts.enqueued)
                    state.pending += Int(finished.counts.pending)
                    state.lost += finished.lostResults
                    state.withoutFences += finished.hasFences ? 0 : 1
                }
            }
        }
        let all = tally
        state.withLock { $0.tally.add(all) }
    }

    /// One step of one device; when its next is due, nil: it is done.
    private func perform(
        _ agent: inout LoadAgent, key: String, on connection: HTTPConnection,
        _ tally: inout LoadTally
    ) -> Uptime? {
        let isStopping = stopping.load(ordering: .relaxed)
        let step: LoadAgent.Step
        do {
            step = try agent.step(
                at: timekeeper.uptime, wall: timekeeper.wallClock, isStopping: isStopping)
        } catch {
            tally.fail("event: \(error)")
            return nil
        }
        let speaker = connection.speaking(for: agent.deviceID, key: key)
        let begun = ElapsedClock.seconds
        switch step {
        case .done: return nil
        case .wait(let until):
            // One that was told to stop meanwhile looks again at once.
            return stopping.load(ordering: .relaxed) == isStopping ? until : timekeeper.uptime
        case .askForFences(let query):
            let outcome = HTTPFenceSource(speaker).fetch(query)
            tally.add(outcome, seconds: ElapsedClock.seconds - begun)
            agent.finished(fences: outcome, at: timekeeper.uptime)
        case .send(let batch):
            let outcome = HTTPEventSender(speaker, timekeeper: timekeeper).send(batch)
            tally.add(outcome, seconds: ElapsedClock.seconds - begun)
            agent.finished(outcome, of: batch, at: timekeeper.uptime)
        case .sendHeartbeat(let body):
            let outcome = HTTPEventSender(speaker, timekeeper: timekeeper).sendHeartbeat(body)
            tally.add(outcome, seconds: ElapsedClock.seconds - begun)
            agent.finished(heartbeat: outcome, at: timekeeper.uptime)
        }
        return timekeeper.uptime
    }
}

extension FleetRun.Result {
    /// A device that is not done.
    fileprivate mutating func add(_ agent: LoadAgent) {
        made += Int(agent.counts.enqueued)
        pending += Int(agent.counts.pending)
        lost += agent.lostResults
        withoutFences += agent.hasFences ? 0 : 1
    }
}
