import Geodesy
import Geofencing
import Simulation
import Testing

@Suite("The region budget")
struct RegionBudgetTests {
    static let frame = Coordinate(latitude: 48.1, longitude: 11.5).map(LocalFrame.init)

    static func place(_ east: Double, _ north: Double = 0) throws -> Coordinate {
        try #require(frame?.coordinate(at: PlanePoint(east: east, north: north)))
    }

    /// A circle of 50 m unless said otherwise.
    static func fence(
        _ id: String, _ east: Double, _ north: Double = 0, radius: Double = 50
    ) throws -> PreparedFence {
        try PreparedFence(
            Fence(
                id: id, name: id,
                shape: .circle(center: try place(east, north), radiusMeters: radius)))
    }

    static func at(
        _ east: Double, from: Double? = nil, accuracy: Double = 5, speed: Double? = nil,
        inside: Set<String> = [], pending: Set<String> = [], leaving: Set<String> = [],
        limit: Int = RegionBudget.limit
    ) throws -> RegionSituation {
        RegionSituation(
            from: try from.map { try place($0) }, to: try place(east), accuracyMeters: accuracy,
            speed: speed, inside: inside, pending: pending, leaving: leaving, limit: limit)
    }

    /// Fences every 1,000 m to the east, "a" at 1,000.
    static func row(_ count: Int) throws -> [PreparedFence] {
        try (1...count).map { try fence(String(UnicodeScalar(UInt8(96 + $0))), Double($0) * 1000) }
    }

    @Test("the 18 nearest by edge are monitored, nearest first, and join once")
    func nearest() throws {
        var budget = RegionBudget()
        // Its centre is the farthest of all, its edge the nearest.
        budget.setPool(try Self.row(20) + [Self.fence("big", 40_000, radius: 39_500)])
        let first = budget.update(try Self.at(0))
        #expect(first.monitored == ["big"] + "abcdefghijklmnopq".map(String.init))
        #expect(first.joined == first.monitored)
        #expect(first.left == [])
        let second = budget.update(try Self.at(1))
        #expect(second.joined == [] && second.left == [])
        #expect(second.monitored == first.monitored)
    }

    @Test("equally near fences are ranked by id")
    func ties() throws {
        var budget = RegionBudget()
        budget.setPool(try ["d", "b", "c", "a"].map { try Self.fence($0, 3000) })
        #expect(budget.update(try Self.at(0, limit: 2)).monitored == ["a", "b"])
    }

    @Test(
        "a fence gives way only to one nearer by more than 20 m or two accuracies, or close by",
        arguments: [
            // Candidate's edge, member's edge, accuracy, speed, does it replace?
            (1000.0, 1019.0, 5.0, nil, false), (1000, 1021, 5, nil, true),
            (1000, 1039, 20, nil, false), (1000, 1041, 20, nil, true),
            (49, 50, 5, nil, true), (51, 60, 5, nil, false), (51, 60, 5, 6, true),
            (290, 300, 5, 30, true), (310, 320, 5, 30, false), (50, 49, 5, 30, false),
        ] as [(Double, Double, Double, Double?, Bool)])
    func replacement(
        candidate: Double, member: Double, accuracy: Double, speed: Double?, replaces: Bool
    ) throws {
        var budget = RegionBudget()
        let held = try Self.fence("member", -member - 50)
        budget.setPool([held])
        #expect(
            budget.update(try Self.at(0, accuracy: accuracy, speed: speed, limit: 1)).monitored
                == ["member"])
        budget.setPool([held, try Self.fence("candidate", candidate + 50)])
        let selection = budget.update(
            try Self.at(0, accuracy: accuracy, speed: speed, limit: 1))
        #expect(selection.monitored == [replaces ? "candidate" : "member"])
        #expect(selection.joined == (replaces ? ["candidate"] : []))
        #expect(selection.left == (replaces ? ["member"] : []))
    }

    @Test("a fence between two fixes counts as near as the way between them")
    func way() throws {
        var budget = RegionBudget()
        budget.setPool([try Self.fence("passed", 1000), try Self.fence("ahead", 2500)])
        let start = try Self.at(0, limit: 1)
        #expect(budget.update(start).monitored == ["passed"])
        let selection = budget.update(try Self.at(2000, from: 0, limit: 1))
        #expect(selection.monitored == ["passed"])
        #expect(budget.update(try Self.at(2001, from: 2000, limit: 1)).monitored == ["ahead"])
    }

    @Test(
        "near a fence the nearer one is taken without a margin: within 50 m or 10 s of driving",
        arguments: [
            // The farthest of the kept ones lies 10 m farther than the candidate: less than the margin.
            (candidate: 45.0, speed: 0.0, isTaken: true), (60, 0, false), (60, 5.9, false),
            (60, 6, true), (290, 30, true), (310, 30, false),
        ])
    func nearSwap(candidate: Double, speed: Double, isTaken: Bool) throws {
        var budget = RegionBudget()
        // Edges 50 m from their middles.
        let kept = try Self.fence("kept", 10 + candidate + 50)
        budget.setPool([kept])
        _ = budget.update(try Self.at(0, limit: 1))
        budget.setPool([kept, try Self.fence("new", candidate + 50)])
        let selection = budget.update(try Self.at(0, speed: speed, limit: 1))
        #expect(selection.monitored == [isTaken ? "new" : "kept"])
    }

    @Test("what is inside or pending stays, however near others are")
    func pinned() throws {
        var budget = RegionBudget()
        budget.setPool(try Self.row(4))
        #expect(budget.update(try Self.at(0, limit: 2)).monitored == ["a", "b"])
        let selection = budget.update(
            try Self.at(4000, inside: ["a"], pending: ["b"], limit: 2))
        #expect(Set(selection.monitored) == ["a", "b"])
        #expect(budget.update(try Self.at(4000, inside: ["a"], limit: 2)).monitored == ["d", "a"])
        #expect(budget.update(try Self.at(4000, limit: 2)).monitored == ["d", "c"])
    }

    @Test("of more fences around the device than the limit the smallest are monitored")
    func overflow() throws {
        var budget = RegionBudget()
        let rings = try (1...21).map {
            try Self.fence("r\($0 < 10 ? "0" : "")\($0)", 0, radius: Double($0) * 100)
        }
        budget.setPool(rings.reversed() + [try Self.fence("beside", 60, radius: 20)])
        let selection = budget.update(try Self.at(0, limit: 18))
        #expect(Set(selection.monitored) == Set(rings.prefix(18).map(\.id)))
        #expect(selection.overflow == ["r19", "r20", "r21"])
        // The large ones are inside by now and still give way.
        let inside = Set(rings.suffix(18).map(\.id))
        let later = budget.update(try Self.at(0, inside: inside, limit: 18))
        #expect(Set(later.monitored) == Set(rings.prefix(18).map(\.id)))
        #expect(later.overflow == ["r19", "r20", "r21"])
        // Away from the small ones they come back.
        let away = budget.update(try Self.at(1850, from: 1850, inside: ["r19", "r20", "r21"]))
        #expect(away.overflow == [])
        #expect(Set(away.monitored).isSuperset(of: ["r19", "r20", "r21"]))
    }

    @Test("an unresolved exit moves to the spare where pinned fences take every slot")
    func spare() throws {
        var budget = RegionBudget()
        budget.setPool(try Self.row(5))
        _ = budget.update(try Self.at(0, limit: 2))
        let full = budget.update(try Self.at(4000, inside: ["a", "b"], limit: 2))
        #expect(Set(full.monitored) == ["a", "b"] && full.spare == nil)
        let freed = budget.update(
            try Self.at(4000, inside: ["a", "b"], leaving: ["a"], limit: 2))
        #expect(freed.spare == "a")
        #expect(freed.monitored == ["d", "b"])
        #expect(freed.joined == ["d"] && freed.left == [])
        #expect(freed.evaluated == ["d", "b", "a"])
        let resolved = budget.update(try Self.at(4000, inside: ["b"], limit: 2))
        #expect(resolved.spare == nil)
        #expect(resolved.monitored == ["d", "b"])
        #expect(resolved.left == ["a"])
    }

    @Test("a limit of 0 monitors nothing")
    func off() throws {
        var budget = RegionBudget()
        budget.setPool(try Self.row(3))
        _ = budget.update(try Self.at(0))
        let selection = budget.update(try Self.at(1000, inside: ["a"], limit: 0))
        #expect(selection.monitored == [] && selection.spare == nil)
        #expect(selection.left == ["a", "b", "c"])
    }

    @Test("fences that a new pool does not know leave, the others stay without joining again")
    func swap() throws {
        var budget = RegionBudget()
        budget.setPool(try Self.row(4))
        _ = budget.update(try Self.at(0))
        budget.setPool(Array(try Self.row(5).dropFirst(2)))
        let selection = budget.update(try Self.at(0))
        #expect(selection.monitored == ["c", "d", "e"])
        #expect(selection.joined == ["e"])
        #expect(selection.left == ["a", "b"])
        budget.setPool([])
        #expect(budget.update(try Self.at(0)).left == ["c", "d", "e"])
        #expect(budget.update(try Self.at(0)) == RegionSelection())
    }

    @Test("a fence that was redrawn nearby is measured anew, however far away it was")
    func redrawn() throws {
        var budget = RegionBudget()
        let others = try Self.row(2)
        budget.setPool(others + [try Self.fence("far", 50_000)])
        #expect(budget.update(try Self.at(0, limit: 2)).monitored == ["a", "b"])
        budget.setPool(others + [try Self.fence("far", 300)])
        #expect(budget.update(try Self.at(0, limit: 2)).monitored == ["far", "a"])
    }

    @Test("a repeated id counts once, and the pool is bounded")
    func poolBounds() throws {
        var budget = RegionBudget()
        let one = try Self.fence("one", 100)
        budget.setPool([one, try Self.fence("one", 9000)])
        #expect(budget.pool == [one])
        budget.setPool(try (0..<600).map { try Self.fence("f\($0)", Double($0)) })
        #expect(budget.pool.count == RegionBudget.poolLimit)
    }

    @Test("what is not measured again would not have changed the choice")
    func laziness() throws {
        let center = try #require(Coordinate(latitude: 51, longitude: 179.95))
        for seed in UInt64(1)...4 {
            let world = World(.dense, center: center, count: 400, seed: seed)
            let pool = try world.fences.map { try PreparedFence($0) }
            let frame = LocalFrame(anchor: center)
            var generator = SeededGenerator(seed: seed, stream: 5)
            var lazy = RegionBudget()
            lazy.setPool(pool)
            var held: Set<String> = []
            var last: Coordinate?
            var point = PlanePoint(east: 0, north: 0)
            for step in 0..<150 {
                let leap = step % 50 == 49 ? 3000.0 : 40
                point.east += generator.uniform(in: -leap..<leap * 1.3)
                point.north += generator.uniform(in: -leap..<leap)
                let to = try #require(frame.coordinate(at: point))
                let situation = RegionSituation(from: last, to: to, accuracyMeters: 5, speed: 20)
                last = to
                // One that has measured nothing yet must measure everything.
                var eager = RegionBudget()
                eager.setPool(pool.filter { held.contains($0.id) })
                _ = eager.update(situation)
                eager.setPool(pool)
                let expected = Set(eager.update(situation).monitored)
                let chosen = Set(lazy.update(situation).monitored)
                #expect(chosen == expected, "seed \(seed), step \(step)")
                held = chosen
            }
        }
    }
}
