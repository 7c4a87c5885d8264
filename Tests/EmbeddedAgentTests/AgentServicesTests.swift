import Delivery
import Foundation
import Geodesy
import Geofencing
import LinuxSystem
import Positioning
import Synchronization
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import EmbeddedAgent
@testable import GeofenceAgent

/// A receiver that is fed by hand and remembers that it was stopped.
private final class HandReceiver: FixSource {
    private struct Consumer {
        var deliver: @Sendable (SourceEvent) -> Void
    }

    private let consumer = Mutex<Consumer?>(nil)
    private let stopped = Atomic<Bool>(false)

    var isStopped: Bool { stopped.load(ordering: .acquiring) }

    func start(deliver: @escaping @Sendable (SourceEvent) -> Void) {
        consumer.withLock { $0 = Consumer(deliver: deliver) }
    }

    func stop() { stopped.store(true, ordering: .releasing) }

    /// Three fixes of a device that stands, a second apart.
    func fix(at now: Uptime) {
        guard let consumer = consumer.withLock({ $0 }) else { return }
        for age in [2000, 1000, 0] as [Int64] {
            consumer.deliver(
                .fix(
                    Fix(
                        coordinate: Coordinate(latitude: 10, longitude: 20),
                        uptime: now.advanced(byMilliseconds: -age),
                        horizontalAccuracy: HorizontalAccuracy(meters: 5, provenance: .receiver),
                        speed: 0, dimension: .threeDimensional, quality: .autonomous,
                        source: .recording)))
        }
    }
}

/// A server that gives one answer to every batch, once it may.
private final class HandServer: EventSender, HeartbeatSender, FenceSource {
    private let outcome: SendOutcome
    private let fences: FenceFetchFailure
    private let isOpen: Atomic<Bool>
    private let batches = Atomic<Int>(0)
    private let questions = Atomic<Int>(0)

    init(_ outcome: SendOutcome, fences: FenceFetchFailure, holdsAnswers: Bool = false) {
        self.outcome = outcome
        self.fences = fences
        isOpen = Atomic(!holdsAnswers)
    }

    var batchCount: Int { batches.load(ordering: .acquiring) }
    var questionCount: Int { questions.load(ordering: .acquiring) }

    func answer() { isOpen.store(true, ordering: .releasing) }

    func send(_ batch: OutgoingBatch) -> SendOutcome {
        batches.add(1, ordering: .acquiringAndReleasing)
        while !isOpen.load(ordering: .acquiring) { sleepMilliseconds(10) }
        return outcome
    }

    func sendHeartbeat(_ body: [UInt8]) -> HeartbeatOutcome { .cancelled }

    func fetch(_ query: FenceQuery) -> FenceFetchOutcome {
        questions.add(1, ordering: .acquiringAndReleasing)
        return .failed(fences)
    }
}

private final class Lines: LogSink {
    private let lines = Mutex<[String]>([])

    func write(_ line: LogLine) { lines.withLock { $0.append(line.message) } }

    func has(_ prefix: String) -> Bool { count(prefix) > 0 }

    func count(_ prefix: String) -> Int {
        lines.withLock { $0.count { $0.hasPrefix(prefix) } }
    }
}

/// On threads of the test's own.
private func sleepMilliseconds(_ count: UInt32) { usleep(count * 1000) }

@Suite("The services of a running agent", .serialized)
struct AgentServicesTests {
    private struct Agent {
        let services: AgentServices
        let receiver = HandReceiver()
        let log = Lines()
        let time = SystemTimekeeper()

        /// With one event in the queue.
        init(_ server: HandServer) async throws {
            let queue = InMemoryEventQueue()
            _ = try queue.commit(SampleEvents.drafts(1), state: .none)
            let hub = EventHub()
            let thread = try ThreadExecutor(name: "tracking")
            let tracking = TrackingService(
                queue: queue,
                settings: TrackingSettings(
                    rules: PipelineRules(), uploadMaxBatch: 10, uploadIntervalSeconds: 0,
                    dateFloor: ProjectVersion.dateFloor, fixedFences: nil, serverURL: "http://x",
                    deviceID: "d"),
                hub: hub, time: time, log: log, executor: thread)
            await tracking.restore()
            services = AgentServices(
                tracking: tracking, thread: thread, serviceThread: try TaskThread.shared(),
                hub: hub, receiver: receiver,
                server: AgentServices.ServerSide(
                    sender: server, fences: server,
                    uploadExecutor: try ThreadExecutor(name: "upload"),
                    syncExecutor: try ThreadExecutor(name: "sync")),
                policy: UploadPolicy(intervalSeconds: 0), time: time, log: log)
        }
    }

    private func eventually(_ condition: () -> Bool) async throws -> Bool {
        for _ in 0..<1200 {
            if condition() { return true }
            try await Task.sleep(for: .milliseconds(100))
        }
        return false
    }

    private static let refused = FenceFetchFailure(.authentication, "HTTP 401: key_unknown")

    @Test("stop the receiver and commit while the last request still runs")
    func order() async throws {
        let server = HandServer(.cancelled, fences: Self.refused, holdsAnswers: true)
        let agent = try await Agent(server)
        let task = Task { await agent.services.run() }
        #expect(try await eventually { server.batchCount == 1 })
        task.cancel()
        #expect(try await eventually { agent.receiver.isStopped })
        #expect(server.batchCount == 1)
        server.answer()
        await task.value
    }

    @Test("ask for no fences once an upload has found out that the server does not know the device")
    func uploadsPauseSyncs() async throws {
        let server = HandServer(.refused(Refusal(status: 401)), fences: Self.refused)
        let agent = try await Agent(server)
        let task = Task { await agent.services.run() }
        #expect(try await eventually { agent.log.has("server authenticationFailed") })
        try await Task.sleep(for: .seconds(1))
        agent.receiver.fix(at: agent.time.uptime)
        try await Task.sleep(for: .seconds(1))
        #expect(server.questionCount == 0)
        #expect(await agent.services.status().fix.ageSeconds != nil, "the fixes count")
        task.cancel()
        await task.value
    }

    @Test("tell the journal once how the server is found, however often they try")
    func toldOnce() async throws {
        let server = HandServer(
            .unreachable(.connectFailed, reason: "refused"), fences: Self.refused)
        let agent = try await Agent(server)
        let task = Task { await agent.services.run() }
        #expect(try await eventually { server.batchCount >= 3 })
        #expect(agent.log.count("server connectFailed") == 1)
        task.cancel()
        await task.value
    }

    @Test("stop uploads once a question for fences has found out, and say so")
    func syncsPauseUploads() async throws {
        let server = HandServer(
            .unreachable(.connectFailed, reason: "refused"), fences: Self.refused)
        let agent = try await Agent(server)
        let task = Task { await agent.services.run() }
        #expect(try await eventually { agent.log.has("server connectFailed") })
        agent.receiver.fix(at: agent.time.uptime)
        #expect(try await eventually { agent.log.has("server authenticationFailed: HTTP 401") })
        // The backoff of the failure before would have been over many times.
        let count = server.batchCount
        try await Task.sleep(for: .seconds(8))
        #expect(server.batchCount <= count + 1)
        task.cancel()
        await task.value
    }
}
