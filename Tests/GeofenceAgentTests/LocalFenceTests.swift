import Delivery
import Geodesy
import Geofencing
import Positioning
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import GeofenceAgent

@Suite("Fences of the device itself")
struct LocalFenceTests {
    private static func circle(
        _ id: String, _ latitude: Double = 10, _ longitude: Double = 20, radius: Double = 100,
        on kinds: [Transition.Kind] = [.enter, .exit]
    ) -> WireFence {
        var fence = WireFence(id: id, type: .circle)
        fence.center = WireCoordinate(place(latitude, longitude))
        fence.radiusMeters = radius
        fence.transitions = kinds
        return fence
    }

    private static func reason(_ work: () async throws -> Void) async -> ControlFailure? {
        do {
            try await work()
            return nil
        } catch {
            return (error as? ControlRefusal)?.failure
        }
    }

    @Test("are monitored without a server, and over a restart")
    func standalone() async throws {
        let agent = await AgentFixture(fences: nil)
        await agent.drive([-400])
        let change = try await agent.tracking.addLocalFences([Self.circle("yard")])
        #expect(change.added == ["yard"] && change.count == 1)
        await agent.visit()
        #expect(agent.queueReader.kinds == [.enter, .exit])
        let next = await AgentFixture(queue: agent.queueReader, fences: nil)
        next.time.advance(milliseconds: agent.time.uptime.milliseconds)
        await next.visit()
        #expect(agent.queueReader.kinds == [.enter, .exit, .enter, .exit])
        let list = await next.tracking.fenceList()
        #expect(list.fences.map(\.id) == ["yard"])
        #expect(list.fences.first?.source == "device")
        #expect(list.fences.first?.monitoring == "registered")
        let distance = try #require(list.fences.first?.signedDistanceMeters)
        #expect(abs(distance + 200) < 1)
        #expect(await next.tracking.status(upload: nil).fences.source == "device")
    }

    @Test("a restart inside goes on with the visit, and removing the fence ends it")
    func removedInside() async throws {
        let agent = await AgentFixture(fences: nil)
        await agent.drive([-400])
        _ = try await agent.tracking.addLocalFences([Self.circle("yard")])
        await agent.drive(stride(from: -390.0, through: 0, by: 10).map { $0 })
        #expect(agent.queueReader.kinds == [.enter])
        let next = await AgentFixture(queue: agent.queueReader, fences: nil)
        next.time.advance(milliseconds: agent.time.uptime.milliseconds)
        await next.drive([0, 0, 0], speed: 0)
        #expect(agent.queueReader.kinds == [.enter])
        _ = try await next.tracking.removeLocalFences(["yard"])
        #expect(agent.queueReader.events.last?.reason == "fence_deleted")
        #expect(await next.tracking.fenceList().fences.isEmpty)
        let third = await AgentFixture(queue: agent.queueReader, fences: nil)
        #expect(await third.tracking.fenceList().fences.isEmpty)
    }

    @Test("the server's answers leave them alone, and their removal leaves the server's alone")
    func besideTheServer() async throws {
        let agent = await AgentFixture(fences: nil, server: "http://127.0.0.1:1")
        await agent.drive([-400, -390])
        _ = try await agent.tracking.addLocalFences([Self.circle("yard"), Self.circle("A")])
        await agent.tracking.take(
            .fresh(try TrackingServiceTests.answer(fences: [AgentFixture.fence])),
            for: TrackingServiceTests.query)
        // The server's own fence of that id goes before the device's.
        var list = await agent.tracking.fenceList()
        #expect(Set(list.fences.map(\.id)) == ["A", "yard"])
        #expect(list.shadowed == ["A"])
        #expect(list.fences.first { $0.id == "A" }?.source == "server")
        await agent.drive(stride(from: -380.0, through: 0, by: 10).map { $0 })
        #expect(agent.queueReader.kinds == [.enter, .enter])
        _ = try await agent.tracking.removeLocalFences(["yard"])
        #expect(agent.queueReader.kinds == [.enter, .enter, .exit])
        list = await agent.tracking.fenceList()
        #expect(list.fences.map(\.id) == ["A"] && list.fences.first?.state == "inside")
        let taken = await Self.reason {
            _ = try await agent.tracking.addLocalFences([Self.circle("A", radius: 50)])
        }
        #expect(taken?.error.code == "invalid_fence")
        #expect(taken?.error.defects?.first?.code == "id_taken")
    }

    @Test("compete for the 18 regions with the others, by distance")
    func ranking() async throws {
        let given = (0..<18).map { index in
            Fence(
                id: "g\(index)", name: "g",
                shape: .circle(center: place(10, 20.02 + Double(index) * 0.01), radiusMeters: 100))
        }
        let agent = await AgentFixture(fences: given)
        await agent.drive([-400, -390])
        _ = try await agent.tracking.addLocalFences([Self.circle("yard")])
        await agent.drive([-380, -370])
        let list = await agent.tracking.fenceList()
        #expect(list.fences.first?.id == "yard")
        #expect(list.fences.first?.monitoring == "registered")
        #expect(list.fences.count { $0.monitoring == "registered" } == 18)
        #expect(list.fences.last?.monitoring == "pool")
        await agent.drive(stride(from: -360.0, through: 0, by: 10).map { $0 })
        #expect(agent.queueReader.events.map(\.fenceID?.text) == ["yard"])
    }

    @Test("the 21st is refused, and the twenty stay")
    func limit() async throws {
        let agent = await AgentFixture(fences: nil)
        _ = try await agent.tracking.addLocalFences((1...20).map { Self.circle("f\($0)") })
        let refusal = await Self.reason {
            _ = try await agent.tracking.addLocalFences([Self.circle("f21")])
        }
        #expect(refusal?.error.message == "21 fences on the device, at most 20")
        let change = try await agent.tracking.addLocalFences([Self.circle("f3", radius: 70)])
        #expect(change.replaced == ["f3"] && change.count == 20 && change.warnings.count == 1)
        #expect(await agent.tracking.fenceList().fences.count == 20)
    }

    @Test(
        "what cannot be monitored is refused with its place, and nothing is changed",
        arguments: [
            ("radius", "/fences/1/radius_m"), ("latitude", "/fences/1/center"),
            ("id", "/fences/1/id"), ("twice", "/fences/1/id"), ("dwell", "/fences/1/dwell_s"),
            ("bow tie", "/fences/1/geometry/coordinates/0/"),
        ])
    func invalid(kind: String, pointer: String) async throws {
        let agent = await AgentFixture(fences: nil)
        var bad = Self.circle("bad")
        switch kind {
        case "radius": bad.radiusMeters = 5
        case "latitude":
            bad = try WireCoding.decode(
                WireFence.self,
                from: Array(
                    #"{"id":"b","type":"circle","center":{"lat":95,"lon":1},"radius_m":50}"#.utf8))
        case "id": bad.id = WireID("")
        case "twice": bad.id = WireID("good")
        case "dwell": bad.dwellSeconds = 0
        default:
            bad.type = .polygon
            bad.geometry = .polygon([[[1, 1], [1.1, 1.1], [1.1, 1], [1, 1.1], [1, 1]]])
        }
        let refusal = await Self.reason {
            _ = try await agent.tracking.addLocalFences([Self.circle("good"), bad])
        }
        #expect(refusal?.error.code == "invalid_fence")
        #expect(
            refusal?.error.defects?.first?.pointer.hasPrefix(pointer) == true, "\(refusal as Any)")
        #expect(await agent.tracking.fenceList().fences.isEmpty)
        #expect(agent.queueReader.use { try? $0.state(.localFences) } == nil)
    }

    @Test("what the storage does not take is refused, and is not monitored either")
    func storage() async throws {
        let agent = await AgentFixture(fences: nil)
        await agent.drive([-400])
        agent.queueReader.isBroken.withLock { $0 = true }
        let refusal = await Self.reason {
            _ = try await agent.tracking.addLocalFences([Self.circle("yard")])
        }
        #expect(refusal?.error.code == "storage")
        agent.queueReader.isBroken.withLock { $0 = false }
        await agent.visit()
        #expect(agent.queueReader.kinds.isEmpty)
    }

    @Test("what memory alone would keep is refused, and is gone from there, too")
    func memoryOnly() async throws {
        let agent = await AgentFixture(fences: nil)
        await agent.drive([-400])
        agent.queueReader.health.withLock { $0 = .diskFull(reason: "test") }
        let refusal = await Self.reason {
            _ = try await agent.tracking.addLocalFences([Self.circle("yard")])
        }
        #expect(refusal?.error.code == "storage")
        #expect(agent.queueReader.use { try? $0.state(.localFences) } == nil)
        await agent.visit()
        #expect(agent.queueReader.kinds.isEmpty)
    }

    @Test("changes are for those who may, and looking is for everybody", arguments: [false, true])
    func rights(mayChange: Bool) async throws {
        let agent = await AgentFixture(fences: nil)
        let responder = ControlResponder(tracking: agent.tracking, upload: nil, hub: agent.hub)
        var add = ControlRequest(.addFences)
        add.fences = [Self.circle("yard")]
        var remove = ControlRequest(.removeFences)
        remove.ids = ["yard"]
        var mark = ControlRequest(.mark)
        mark.mark = ControlRequest.Mark(label: "a dog", fence: nil, kind: nil)
        for request in [add, remove, mark] {
            let client = FakeClient(room: 10)
            await responder.respond(to: try WireCoding.encode(request), client: client) {
                mayChange
            }
            let line = try #require(client.lines.first)
            let refusal = try? WireCoding.decode(ControlFailure.self, from: line)
            let allowed = request.command == .mark ? "not_recording" : nil
            #expect(refusal?.error.code == (mayChange ? allowed : "forbidden"))
        }
        let client = FakeClient(room: 10)
        await responder.respond(to: try WireCoding.encode(ControlRequest(.fences)), client: client)
        {
            mayChange
        }
        let list = try WireCoding.decode(FenceList.self, from: try #require(client.lines.first))
        #expect(list.schema == "geofenced.fences/1")
    }
}
