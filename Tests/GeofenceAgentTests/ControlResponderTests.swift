import Delivery
import Synchronization
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import GeofenceAgent

@Suite("Answers on the control socket", .timeLimit(.minutes(5)))
struct ControlResponderTests {
    private func agent(events count: Int) async throws -> AgentFixture {
        let handle = QueueHandle()
        if count > 0 {
            try handle.use { queue throws(QueueError) in
                _ = try queue.commit(
                    (1...count).map { SampleEvents.draft(.enter, fence: "F\($0)") }, state: .none)
            }
        }
        return await AgentFixture(queue: handle)
    }

    private func ask(
        _ agent: AgentFixture, _ request: ControlRequest, _ client: FakeClient
    ) async throws {
        let responder = ControlResponder(tracking: agent.tracking, upload: nil, hub: agent.hub)
        await responder.respond(to: try WireCoding.encode(request), client: client)
    }

    @Test("more events than fit into the client's buffer all arrive, and the end is said")
    func backPressure() async throws {
        let agent = try await agent(events: 5000)
        let client = FakeClient(room: 250)
        try await ask(agent, ControlRequest(.events, since: 0, limit: 10_000), client)
        let sequences = try client.events().map(\.sequence)
        #expect(sequences == Array(1...5000))
        let last = try #require(client.lines.last)
        let end = try WireCoding.decode(ControlEnd.self, from: last)
        #expect(end.end.count == 5000)
    }

    @Test("the newest events come oldest first", arguments: [1, 200, 201, 700])
    func newest(limit: Int) async throws {
        let agent = try await agent(events: 650)
        let client = FakeClient(room: 250)
        try await ask(agent, ControlRequest(.events, limit: limit), client)
        let first = max(1, 650 - limit + 1)
        #expect(try client.events().map(\.sequence) == (first...650).map { Int64($0) })
    }

    @Test("a stored event that cannot be read is passed over, and that is said")
    func unreadable() async throws {
        let handle = QueueHandle()
        try handle.use { queue throws(QueueError) in
            let drafts = (1...600).map { SampleEvents.draft(.enter, fence: "F\($0)") }
            _ = try queue.commit(drafts, state: .none)
        }
        // One alone, and a whole page.
        let damaged = Set<Int64>([3] + (201...400))
        handle.damage(damaged)
        let agent = await AgentFixture(queue: handle)
        let rest = (1...600).map { Int64($0) }.filter { !damaged.contains($0) }
        let client = FakeClient(room: 250)
        try await ask(agent, ControlRequest(.events, since: 0, limit: 10_000), client)
        #expect(try client.events().map(\.sequence) == rest)
        let end = try WireCoding.decode(ControlEnd.self, from: try #require(client.lines.last))
        #expect(end.end.count == rest.count)
        #expect(end.end.unreadable == damaged.count)

        let watcher = FakeClient(room: 1000)
        async let answer: Void = ask(agent, ControlRequest(.watch, since: 0), watcher)
        while try watcher.events().count < rest.count, watcher.isOpen { await Task.yield() }
        agent.hub.close()
        try await answer
        #expect(try watcher.events().map(\.sequence) == rest)
        let errors = watcher.lines.map { String(decoding: $0, as: UTF8.self) }
            .filter { $0.contains("cannot be read") }
        #expect(errors.count == damaged.count)

        for (subject, isKnown) in [("3", false), ("4", true)] {
            let asker = FakeClient(room: 10)
            var request = ControlRequest(.explain)
            request.subject = subject
            try await ask(agent, request, asker)
            let line = String(decoding: try #require(asker.lines.last), as: UTF8.self)
            #expect(line.contains("cannot be read") != isKnown, "\(line)")
        }
        let logged = agent.log.lines.filter { $0.message.contains("cannot be read") }
        #expect(logged.count == damaged.count, "each is logged once")
    }

    @Test("watch goes on after more stored events than one answer may hold")
    func manyStored() async throws {
        let count = ControlResponder.greatestLimit + 500
        let agent = try await agent(events: count)
        let client = FakeClient(room: 250)
        async let answer: Void = ask(agent, ControlRequest(.watch, since: 0), client)
        while try client.events().count < count { try await Task.sleep(for: .milliseconds(1)) }
        agent.hub.close()
        try await answer
        #expect(try client.events().map(\.sequence) == (1...Int64(count)).map { $0 })
    }

    @Test("watch greets with the position, so that a restart before the first event loses none")
    func hello() async throws {
        let agent = try await agent(events: 3)
        let client = FakeClient(room: 250)
        async let answer: Void = ask(agent, ControlRequest(.watch), client)
        while client.lines.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        agent.hub.close()
        try await answer
        let hello = try WireCoding.decode(WatchHello.self, from: try #require(client.lines.first))
        #expect(hello.positions == [hello.queueEpoch: 3])
        #expect(try client.events().isEmpty)
    }

    @Test("an event of a new epoch is not taken for an old one, whatever its number")
    func newEpoch() async throws {
        let agent = try await agent(events: 9)
        let client = FakeClient(room: 250)
        async let answer: Void = ask(agent, ControlRequest(.watch, since: 0), client)
        while try client.events().count < 9 { try await Task.sleep(for: .milliseconds(1)) }
        var event = try #require(try client.events().first)
        event.queueEpoch = "ffffffffffffffffffffffffffffffff"
        agent.hub.publish(.event(event))
        while try client.events().count < 10, client.isOpen {
            try await Task.sleep(for: .milliseconds(1))
        }
        agent.hub.close()
        try await answer
        #expect(try client.events().last?.queueEpoch == event.queueEpoch)
    }

    @Test("a watcher that does not read is let go with a last word, and the tracker never waits")
    func slowWatcher() async throws {
        let agent = try await agent(events: 0)
        let client = FakeClient(room: 20, takes: false)
        async let answer: Void = ask(agent, ControlRequest(.watch), client)
        while client.lines.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        for number in 0..<100 {
            agent.hub.publish(.registered(fenceID: "F\(number)"))
            await Task.yield()
        }
        try await answer
        let last = try #require(client.lines.last)
        #expect(String(decoding: last, as: UTF8.self).contains(#""kind":"lost""#))
        #expect(client.lines.count == 21)
    }

    @Test("a listener that is far behind gets a last word, after everything before it")
    func slowListener() async {
        let hub = EventHub()
        let events = hub.listen()
        for number in 0..<5000 { hub.publish(.registered(fenceID: "\(number)")) }
        var kinds: [String] = []
        for await event in events {
            switch event {
            case .registered(let id): kinds.append(id)
            case .lost: kinds.append("lost")
            default: break
            }
        }
        #expect(kinds.last == "lost")
        #expect(kinds.dropLast() == (0..<EventHub.bufferLimit - 1).map { "\($0)" }[...])
        #expect(hub.listenerCount == 0)
    }

    @Test("a watcher that leaves is forgotten at once, not at the next event")
    func leaving() async throws {
        let agent = try await agent(events: 0)
        let client = FakeClient(room: 20)
        async let answer: Void = ask(agent, ControlRequest(.watch), client)
        while client.lines.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        #expect(agent.hub.listenerCount == 1)
        client.leave()
        try await answer
        #expect(agent.hub.listenerCount == 0)
    }

    @Test(
        "what is not understood is refused in words",
        arguments: [
            (#"{"command":"dance"}"#, "bad_request"), ("", "bad_request"),
            (#"{"command":"events","limit":10001}"#, "bad_request"),
            (#"{"command":"events","limit":0}"#, "bad_request"),
            ("{", "bad_request"), ("[]", "bad_request"), (#""status""#, "bad_request"),
            (#"{}"#, "bad_request"), (#"{"command":7}"#, "bad_request"),
            (#"{"command":null}"#, "bad_request"),
            (#"{"command":"events","limit":1e30}"#, "bad_request"),
            (#"{"command":"watch","positions":[1]}"#, "bad_request"),
            (#"{"command":"mark"}"#, "bad_request"),
            (#"{"command":"mark","mark":{"label":" "}}"#, "bad_request"),
            (#"{"command":"mark","mark":{"label":"x","fence":"A"}}"#, "bad_request"),
            (#"{"command":"mark","mark":{"label":"x","kind":"exit"}}"#, "bad_request"),
            (#"{"command":"mark","mark":{"label":"x","fence":"A","kind":"fly"}}"#, "bad_request"),
            (#"{"command":"mark","mark":{"label":"x","fence":"B","kind":"exit"}}"#, "not_found"),
            (
                #"{"command":"mark","mark":{"label":"x","fence":"A","kind":"exit"}}"#,
                "not_recording"
            ),
            (#"{"command":"explain_fence","subject":"B"}"#, "not_found"),
        ])
    func refusals(line: String, code: String) async throws {
        let agent = try await agent(events: 0)
        let client = FakeClient(room: 20)
        let responder = ControlResponder(tracking: agent.tracking, upload: nil, hub: agent.hub)
        await responder.respond(to: Array(line.utf8), client: client, mayChange: { true })
        let refusal = try WireCoding.decode(
            ControlFailure.self, from: try #require(client.lines.first))
        #expect(refusal.error.code == code, "\(refusal)")
        #expect(!client.isOpen)
        for word in [
            "Error", "keyNotFound", "Mismatch", "Corrupted", "codingPath", "Swift", "Command",
            "initialize", "Optional", "Int", "Parsed",
        ] {
            #expect(!refusal.error.message.contains(word), "\(refusal)")
        }
    }
}

/// A client that has room for so many lines, and takes them when it is waited for.
final class FakeClient: ControlClient {
    private struct State {
        var lines: [[UInt8]] = []
        /// The events among the first `readCount` lines: tests ask again and again.
        var events: [WireEvent] = []
        var readCount = 0
        var waiting = 0
        var isOpen = true
        var observers: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let room: Int
    private let takes: Bool

    /// `takes`: whether lines are taken at once.
    init(room: Int, takes: Bool = true) {
        self.room = room
        self.takes = takes
    }

    var lines: [[UInt8]] { state.withLock { $0.lines } }

    /// The events among the lines.
    func events() throws -> [WireEvent] {
        state.withLock { state in
            state.events += state.lines.dropFirst(state.readCount).compactMap {
                try? WireCoding.decode(WireEvent.self, from: $0)
            }
            state.readCount = state.lines.count
            return state.events
        }
    }

    func send(line: [UInt8]) -> Bool {
        state.withLock { state in
            guard state.isOpen, state.waiting < room else { return false }
            state.lines.append(line)
            state.waiting += 1
            return true
        }
    }

    func waitForRoom() async -> Bool {
        guard takes else { return isOpen }
        return state.withLock { state in
            state.waiting = 0
            return state.isOpen
        }
    }

    func finish(lastLine: [UInt8]?) {
        state.withLock { state in
            guard state.isOpen else { return }
            if let lastLine { state.lines.append(lastLine) }
        }
        leave()
    }

    func leave() {
        let observers = state.withLock { state in
            state.isOpen = false
            defer { state.observers = [] }
            return state.observers
        }
        for observer in observers { observer() }
    }

    func onEnd(_ observer: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if state.isOpen { state.observers.append(observer) }
            return state.isOpen
        }
        if !isOpen { observer() }
    }

    var isOpen: Bool { state.withLock { $0.isOpen } }
}
