import Delivery
import Synchronization
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import GeofenceAgent

@Suite("What a subscriber is told")
struct EventFeedTests {
    /// Enters with ascending sequence numbers, as a drive through fences commits them.
    private static func events(_ count: Int) async throws -> [WireEvent] {
        let agent = await AgentFixture()
        await agent.visit()
        let sample = try #require(agent.queueReader.events.first { $0.type == "enter" })
        return (1...count).map { number in
            var event = sample
            event.sequence = Int64(number)
            return event
        }
    }

    /// A subscriber that stands still until it is let go.
    private final class Subscriber: Sendable {
        private let told = Mutex<(sequences: [Int64], errors: [String])>(([], []))
        private let gate: AsyncStream<Void>
        private let opener: AsyncStream<Void>.Continuation

        init() {
            (gate, opener) = AsyncStream.makeStream()
        }

        func open() { opener.finish() }

        func take(_ event: AgentEvent) async {
            for await _ in gate {}
            if case .entered(let wire) = event {
                told.withLock { $0.sequences.append(wire.sequence) }
            }
        }

        func take(_ error: AgentError) { told.withLock { $0.errors.append(error.code) } }

        var sequences: [Int64] { told.withLock { $0.sequences } }
        // While more may come, read under the lock: the end of a copy is in the library of Swift, where
        // the thread sanitizer sees nothing.
        var count: Int { told.withLock { $0.sequences.count } }
        var errors: [String] { told.withLock { $0.errors } }
    }

    private static func eventually(_ condition: () -> Bool) async -> Bool {
        for _ in 0..<400 where !condition() { try? await Task.sleep(for: .milliseconds(25)) }
        return condition()
    }

    @Test("one that stands still for 3,000 events gets each of them once, in order")
    func slow() async throws {
        let events = try await Self.events(3000)
        let hub = EventHub()
        let subscriber = Subscriber()
        let feed = EventFeed(
            hub: hub,
            stored: { told in
                let last = told.values.max() ?? 0
                return Array(events.drop { $0.sequence <= last }.prefix(200))
            }, onEvent: { await subscriber.take($0) }, onError: { subscriber.take($0) })
        let subscription = hub.subscribe(fixes: false)
        let task = Task {
            var feed = feed
            await feed.run(subscription)
        }
        for event in events.dropLast() { hub.publish(.event(event)) }
        subscriber.open()
        #expect(await Self.eventually { subscriber.count >= 2999 })
        #expect(subscriber.errors == ["slow_subscriber"])
        // And the stream goes on.
        #expect(await Self.eventually { hub.listenerCount == 1 })
        hub.publish(.event(events[2999]))
        #expect(await Self.eventually { subscriber.count >= 3000 })
        #expect(subscriber.sequences == Array(1...3000))
        task.cancel()
        #expect(await Self.eventually { hub.listenerCount == 0 }, "a listener stays")
    }

    @Test("what is published never waits for one that stands still")
    func publisherIsFree() async throws {
        let events = try await Self.events(1)
        let hub = EventHub()
        let subscriber = Subscriber()
        let feed = EventFeed(
            hub: hub, stored: { _ in [] }, onEvent: { await subscriber.take($0) },
            onError: { subscriber.take($0) })
        let subscription = hub.subscribe(fixes: false)
        let task = Task {
            var feed = feed
            await feed.run(subscription)
        }
        // Would hang for ever if it waited.
        for _ in 0..<5000 { hub.publish(.event(events[0])) }
        #expect(subscriber.count == 0)
        task.cancel()
        subscriber.open()
        #expect(await Self.eventually { hub.listenerCount == 0 })
    }

    /// Events in storage, which fails or is away as long as it is told to.
    private final class Storage: Sendable {
        struct Broken: Error {}
        enum Mode { case works, fails, away }

        private let events: [WireEvent]
        let mode: Mutex<Mode>
        let questions = Mutex(0)

        init(_ events: [WireEvent], _ mode: Mode) {
            self.events = events
            self.mode = Mutex(mode)
        }

        func events(beyond told: [String: Int64]) throws -> [WireEvent]? {
            questions.withLock { $0 += 1 }
            switch mode.withLock({ $0 }) {
            case .fails: throw Broken()
            case .away: return nil
            case .works: break
            }
            return Array(events.filter { $0.sequence > told[$0.queueEpoch] ?? 0 }.prefix(200))
        }
    }

    @Test(
        "one that stalls before its first event gets all that its buffer did not hold",
        arguments: [true, false])
    func stalledFromTheStart(isStarted: Bool) async throws {
        let events = try await Self.events(1500)
        let epoch = events[0].queueEpoch
        let hub = EventHub()
        let storage = Storage(events, .works)
        let subscriber = Subscriber()
        let feed = EventFeed(
            hub: hub, stored: { try storage.events(beyond: $0) },
            onEvent: { await subscriber.take($0) }, onError: { subscriber.take($0) })
        // 100 events are of an earlier run; the subscriber comes before or after this one begins.
        if isStarted { hub.begin(after: [epoch: 100]) }
        let subscription = hub.subscribe(fixes: false)
        if !isStarted { hub.begin(after: [epoch: 100]) }
        let task = Task {
            var feed = feed
            await feed.run(subscription)
        }
        for number in 0..<EventHub.bufferLimit { hub.publish(.registered(fenceID: "\(number)")) }
        for event in events[100...] { hub.publish(.event(event)) }
        subscriber.open()
        #expect(await Self.eventually { subscriber.count >= 1400 })
        #expect(subscriber.sequences == Array(101...1500))
        task.cancel()
    }

    @Test(
        "a gap that cannot be read yet is not hidden by what comes next", arguments: [true, false])
    func failingStorage(fails: Bool) async throws {
        let events = try await Self.events(2500)
        let hub = EventHub()
        let storage = Storage(events, fails ? .fails : .away)
        let subscriber = Subscriber()
        let feed = EventFeed(
            hub: hub, retry: .milliseconds(20), stored: { try storage.events(beyond: $0) },
            onEvent: { await subscriber.take($0) }, onError: { subscriber.take($0) })
        let subscription = hub.subscribe(fixes: false)
        let task = Task {
            var feed = feed
            await feed.run(subscription)
        }
        for event in events[..<2000] { hub.publish(.event(event)) }
        subscriber.open()
        #expect(await Self.eventually { storage.questions.withLock { $0 } >= 3 })
        for event in events[2000...] { hub.publish(.event(event)) }
        storage.mode.withLock { $0 = .works }
        #expect(await Self.eventually { subscriber.count >= 2500 })
        #expect(subscriber.sequences == Array(1...2500))
        // Said once, whatever the number of attempts; a stopped agent is no error.
        #expect(
            subscriber.errors == (fails ? ["slow_subscriber", "storage"] : ["slow_subscriber"]))
        task.cancel()
    }

    @Test("what a new run told before a slow callback listened again is made up for")
    func newRun() async throws {
        let events = try await Self.events(30)
        let hub = EventHub()
        let storage = Storage(events, .works)
        let subscriber = Subscriber()
        let feed = EventFeed(
            hub: hub, stored: { try storage.events(beyond: $0) },
            onEvent: { await subscriber.take($0) }, onError: { subscriber.take($0) })
        let subscription = hub.subscribe(fixes: false)
        let task = Task {
            var feed = feed
            await feed.run(subscription)
        }
        for event in events[..<10] { hub.publish(.event(event)) }
        hub.close()
        hub.begin(after: [events[0].queueEpoch: 10])
        for event in events[10...] { hub.publish(.event(event)) }
        subscriber.open()
        #expect(await Self.eventually { subscriber.count >= 30 })
        #expect(subscriber.sequences == Array(1...30))
        task.cancel()
    }
}
