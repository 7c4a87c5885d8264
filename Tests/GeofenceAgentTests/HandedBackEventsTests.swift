import Delivery
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import GeofenceAgent

/// Several epochs in one queue, as after a disk that refused writes for a while.
@Suite("Events of earlier epochs on the control socket", .timeLimit(.minutes(5)))
struct HandedBackEventsTests {
    private let agent: AgentFixture
    private static let earlier = "ffffffffffffffffffffffffffffffff"

    /// Four events of an earlier epoch, then six of the current one.
    init() async throws {
        let handle = QueueHandle(
            InMemoryEventQueue(earlier: Self.earlier, SampleEvents.drafts(4)))
        try handle.use { queue throws(QueueError) in
            _ = try queue.commit(SampleEvents.drafts(6), state: .none)
        }
        agent = await AgentFixture(queue: handle)
    }

    private var current: String {
        get async throws { try await agent.tracking.positions().current }
    }

    /// Epoch and number of the stored events that a watcher is told.
    private func told(_ positions: [String: Int64]) async throws -> [String] {
        let responder = ControlResponder(tracking: agent.tracking, upload: nil, hub: agent.hub)
        let client = FakeClient(room: 250)
        let request = try WireCoding.encode(ControlRequest(.watch, positions: positions))
        async let answer: Void = responder.respond(to: request, client: client)
        while agent.hub.listenerCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
        // The stream ends when what is stored has been told.
        agent.hub.close()
        await answer
        return try client.events().map { "\($0.queueEpoch.prefix(2)) \($0.sequence)" }
    }

    @Test("a watcher gets of each epoch what it has not seen")
    func watch() async throws {
        let current = try await current
        let name = current.prefix(2)
        #expect(
            try await told([Self.earlier: 3, current: 4])
                == ["ff 4", "\(name) 5", "\(name) 6"])
    }

    @Test("a watcher that was last there before the disk failed gets all of the other epoch")
    func watchFromBefore() async throws {
        let current = try await current
        let name = current.prefix(2)
        #expect(
            try await told([current: 5])
                == ["ff 1", "ff 2", "ff 3", "ff 4", "\(name) 6"])
    }
}
