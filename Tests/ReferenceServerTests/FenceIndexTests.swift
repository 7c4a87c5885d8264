import Geodesy
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import ReferenceServer

@Suite("The fences in memory")
struct FenceIndexTests {
    @Test(
        "after any writes the answer is that of measuring every fence, from two processes alike",
        arguments: [(52.5, 13.4, 0.3), (0.0, 179.9, 1.0), (86.0, 20.0, 4.0)])
    func sequences(latitude: Double, longitude: Double, spread: Double) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var world = try StoredWorld(latitude, longitude, spread, seed: seed)
        // A second store on the same file is what another process is.
        let other = try SQLiteServerStore(
            path: world.fixture.store.path, zones: FixtureZones.shared)
        for round in 0..<40 {
            try world.change(through: round % 3 == 2 ? other : world.fixture.store)
            try world.check(world.fixture.store)
            if round % 4 == 3 { try world.check(other) }
        }
        // Who begins now reads the same.
        let late = try SQLiteServerStore(path: world.fixture.store.path, zones: FixtureZones.shared)
        #expect(try late.prepareSearch().fences == world.fences.count)
        try world.check(late)
    }

    @Test("a process that missed more changes than are kept reads everything anew")
    func gap() throws {
        var world = try StoredWorld(52.5, 13.4, 0.3, seed: 1)
        let other = try SQLiteServerStore(
            path: world.fixture.store.path, zones: FixtureZones.shared)
        try world.change(through: other)
        try world.check(world.fixture.store)
        try world.change(through: other)
        try other.writer.write {
            try $0.run(
                "DELETE FROM fence_changes WHERE id < 1000000000 AND id <> (SELECT max(id) FROM fence_changes)"
            )
        }
        try world.check(world.fixture.store)
    }

    @Test("an answer has the bytes of the fence as it is now, whoever wrote it")
    func bytes() throws {
        let fixture = try ServerFixture()
        let other = try SQLiteServerStore(path: fixture.store.path, zones: FixtureZones.shared)
        func name() -> String? {
            fixture.device("GET", "/v1/fences/nearest?lat=52&lon=13")["fences"]?.array?.first?[
                "name"]?.string
        }
        func put(_ name: String, _ store: SQLiteServerStore) throws {
            var wire = WireFence(id: "a", type: .circle)
            wire.name = name
            wire.center = Coordinate(latitude: 52, longitude: 13).map(WireCoordinate.init)
            wire.radiusMeters = 100
            _ = try store.putFences(
                [
                    FenceDraft(
                        id: "a", shape: try PreparedShape(wire.fence().shape), expiresAt: nil,
                        wire: FenceWireForm(wire))
                ], replacingAll: false, in: fixture.workspace.id,
                now: fixture.clock.wallClock.time)
        }
        for round in 0..<6 {
            try put("name \(round)", round % 2 == 0 ? fixture.store : other)
            #expect(name() == "name \(round)")
            #expect(name() == "name \(round)")
        }
        #expect(try other.deleteFence("a", of: fixture.workspace.id))
        #expect(name() == nil)
    }

    @Test("a key that another process revokes, and a plan that it changes, count at once")
    func otherProcess() throws {
        let fixture = try ServerFixture()
        let other = try SQLiteServerStore(path: fixture.store.path, zones: FixtureZones.shared)
        let now = fixture.clock.wallClock.time
        func ask() -> Answer { fixture.device("GET", "/v1/fences/nearest?lat=52&lon=13") }
        #expect(ask().status == 200)
        _ = try other.putConfiguration(Array("{\"fence_limit\": 3}".utf8), of: fixture.workspace.id)
        #expect(ask()["limit"]?.number == 3)
        try other.setPlan(
            .trial, limits: .defaults(of: .trial), of: fixture.workspace.id, now: now)
        fixture.clock.advance(seconds: 31 * 86_400)
        #expect(ask()["config", "fence_limit"]?.number == 0)
        for key in try other.keys(of: fixture.workspace.id) where key.scope.isDevice {
            #expect(try other.revokeKey(key.id, of: fixture.workspace.id, now: now))
        }
        #expect(ask().code == "key_revoked")
    }

    @Test("while somebody reads what another process wrote, a key that is revoked does not work")
    func revokedMeanwhile() throws {
        let fixture = try ServerFixture()
        let other = try SQLiteServerStore(path: fixture.store.path, zones: FixtureZones.shared)
        #expect(fixture.device("GET", "/v1/fences/nearest?lat=52&lon=13").status == 200)
        let reading = SlowReading(fixture.store)
        defer { reading.end() }
        _ = try other.putFences(
            [try Self.circle("a", 52, for: nil)], replacingAll: true, in: fixture.workspace.id,
            now: fixture.clock.wallClock.time)
        for key in try other.keys(of: fixture.workspace.id) where key.scope.isDevice {
            #expect(
                try other.revokeKey(
                    key.id, of: fixture.workspace.id, now: fixture.clock.wallClock.time))
        }
        let code = reading.during { fixture.device("GET", "/v1/fences/nearest?lat=52&lon=13").code }
        #expect(code == "key_revoked")
    }

    @Test("while somebody reads what another process wrote, events are kept")
    func writingMeanwhile() throws {
        let fixture = try ServerFixture()
        let other = try SQLiteServerStore(path: fixture.store.path, zones: FixtureZones.shared)
        #expect(fixture.device("GET", "/v1/fences/nearest?lat=52&lon=13").status == 200)
        let reading = SlowReading(fixture.store)
        defer { reading.end() }
        _ = try other.putFences(
            [try Self.circle("a", 52, for: nil)], replacingAll: true, in: fixture.workspace.id,
            now: fixture.clock.wallClock.time)
        let outcomes = reading.during { fixture.upload([EventText("e-1").json]).outcomes }
        #expect(outcomes == ["accepted"])
        // A fence of one's own is there when its writing has been answered: that waits.
        let writing = reading.begin {
            fixture.admin(
                "PUT", "/v1/admin/fences/b",
                "{\"type\": \"circle\", \"center\": {\"lat\": 52, \"lon\": 13}, \"radius_m\": 100}"
            ).status
        }
        #expect(writing.result(withinSeconds: 0.3) == nil)
        let next = reading.during { fixture.upload([EventText("e-2").json], batch: "b-2").outcomes }
        #expect(next == ["accepted"])
        reading.end()
        #expect(writing.result(withinSeconds: 60) == 201)
        #expect(try other.fence("b", of: fixture.workspace.id) != nil)
    }

    @Test("an answer never holds fences of one state with distances of another")
    func neverMixed() throws {
        let fixture = try ServerFixture()
        let other = try SQLiteServerStore(path: fixture.store.path, zones: FixtureZones.shared)
        let position = try #require(Coordinate(latitude: 52, longitude: 13))
        func put(_ latitudes: [Double]) throws {
            _ = try other.putFences(
                try latitudes.enumerated().map { try Self.circle("f\($0)", $1, for: nil) },
                replacingAll: true, in: fixture.workspace.id,
                now: fixture.clock.wallClock.time)
        }
        try put([52.01, 52.02, 52.03])
        // The fences are in memory, their documents are not.
        #expect(try fixture.store.prepareSearch().fences == 3)
        let reading = SlowReading(fixture.store)
        defer { reading.end() }
        try put([52.06, 52.05, 52.04])
        let workspace = fixture.workspace.id
        let now = fixture.clock.wallClock.time
        let store = fixture.store
        let search = reading.begin {
            try? store.nearest(
                position, pool: 2, for: FenceAudienceMember(deviceID: "d", userID: nil),
                in: workspace, now: now)
        }
        _ = search.result(withinSeconds: 0.3)
        reading.end()
        let answer: NearestFences? = search.result(withinSeconds: 60) ?? nil
        let found = try #require(answer)
        #expect(found.fences.count == 2)
        for ranked in found.fences {
            let fence = try WireCoding.decode(WireFence.self, from: ranked.fence.document).fence()
            let shape = try PreparedShape(fence.shape)
            #expect(ranked.distanceMeters == -shape.signedDistance(to: SurfacePoint(position)))
        }
        #expect(found.fences.map(\.fence.id) == ["f2", "f1"])
    }

    @Test(
        "fences for some are found by those, few or many, and by nobody else",
        arguments: [3, 2_300])
    func restricted(count: Int) throws {
        let fixture = try ServerFixture(
            limits: WorkspaceLimits(fences: 10_000, keys: 25, devices: nil, eventsPerMonth: nil))
        var drafts: [FenceDraft] = []
        for index in 0..<count {
            drafts.append(
                try Self.circle("a\(index)", 52 + Double(index) * 1e-4, for: "ann"))
        }
        drafts.append(try Self.circle("b", 52, for: "bob"))
        drafts.append(try Self.circle("z", 52.000_05, for: nil))
        _ = try fixture.store.putFences(
            drafts, replacingAll: true, in: fixture.workspace.id,
            now: fixture.clock.wallClock.time)
        func found(_ user: String?) throws -> [String] {
            let position = try #require(Coordinate(latitude: 51.9, longitude: 13))
            return try fixture.store.nearest(
                position, pool: 4, for: FenceAudienceMember(deviceID: "d", userID: user),
                in: fixture.workspace.id, now: fixture.clock.wallClock.time
            ).fences.map(\.fence.id)
        }
        #expect(try found("ann") == ["a0", "z", "a1", "a2"])
        #expect(try found("bob") == ["b", "z"])
        #expect(try found(nil) == ["z"])
    }

    private static func circle(
        _ id: String, _ latitude: Double, for user: String?
    ) throws -> FenceDraft {
        var wire = WireFence(id: id, type: .circle)
        wire.center = Coordinate(latitude: latitude, longitude: 13).map(WireCoordinate.init)
        wire.radiusMeters = 50
        let audience = try user.flatMap {
            try FenceAudience(.object(["user_ids": .array([.string($0)])]))
        }
        return FenceDraft(
            id: id, shape: try PreparedShape(wire.fence().shape), expiresAt: nil,
            wire: FenceWireForm(wire), audience: audience)
    }
}

/// Fences in a store and beside it, changed alike.
private struct StoredWorld {
    let fixture: ServerFixture
    private let latitude: Double
    private let longitude: Double
    private let spread: Double
    private var generator: SeededGenerator
    private(set) var fences: [String: PreparedShape] = [:]
    private var number = 0

    init(_ latitude: Double, _ longitude: Double, _ spread: Double, seed: UInt64) throws {
        self.latitude = latitude
        self.longitude = longitude
        self.spread = spread
        generator = SeededGenerator(seed: seed)
        fixture = try ServerFixture(
            limits: WorkspaceLimits(fences: 10_000, keys: 25, devices: nil, eventsPerMonth: nil))
    }

    /// Some new ones, some others at old ids, some deleted, or everything replaced.
    mutating func change(through store: SQLiteServerStore) throws {
        let now = fixture.clock.wallClock.time
        let old = fences.keys.sorted()
        if generator.next() % 3 == 0, let id = old.randomElement(using: &generator) {
            #expect(try store.deleteFence(id, of: fixture.workspace.id))
            fences[id] = nil
            return
        }
        let replacesAll = generator.next() % 10 == 0
        if replacesAll { fences = [:] }
        var drafts: [FenceDraft] = []
        for _ in 0..<(1 + Int(generator.next() % (number == 0 ? 200 : 12))) {
            var id = "f\(number)"
            if generator.next() % 3 == 0, let known = old.randomElement(using: &generator) {
                id = known
            }
            guard !drafts.contains(where: { $0.id == id }),
                let made = makeFence(id)
            else { continue }
            number += 1
            fences[id] = made.shape
            drafts.append(made)
        }
        _ = try store.putFences(
            drafts, replacingAll: replacesAll, in: fixture.workspace.id, now: now)
    }

    private mutating func makeFence(_ id: String) -> FenceDraft? {
        let wire = RandomFence.make(id, around: latitude, longitude, spread: spread, &generator)
        guard let shape = try? PreparedShape(wire.fence().shape), !shape.isDegraded else {
            return nil
        }
        return FenceDraft(id: id, shape: shape, expiresAt: nil, wire: FenceWireForm(wire))
    }

    mutating func check(_ store: SQLiteServerStore) throws {
        for _ in 0..<3 {
            guard
                let position = RandomShape.place(
                    around: latitude, longitude, spread: spread, &generator)
            else { continue }
            let pool = 1 + Int(generator.next() % 40)
            let expected = fences.map { (max(0, -$1.signedDistance(to: position)), $0) }
                .sorted { $0 < $1 }
            let found = try store.nearest(
                position, pool: pool, for: FenceAudienceMember(deviceID: "d", userID: nil),
                in: fixture.workspace.id, now: fixture.clock.wallClock.time)
            #expect(found.fences.map(\.fence.id) == expected.prefix(pool).map(\.1))
            #expect(found.fences.map(\.distanceMeters) == expected.prefix(pool).map(\.0))
            #expect(
                found.nextDistanceMeters == (expected.count > pool ? expected[pool].0 : nil))
        }
    }
}
