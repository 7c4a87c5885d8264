import Geodesy
import TestSupport
import Testing

@Suite("Ground that two shapes have in common")
struct OverlapTests {
    /// A polygon of rings of (east, north) in thousandths of a degree from a place.
    private func shape(
        _ rings: [[(Double, Double)]], latitude: Double = 52, longitude: Double = 13
    ) throws -> PreparedShape {
        try PreparedShape(
            .polygon(
                Polygon(
                    rings: rings.map { ring in
                        ring.compactMap { east, north in
                            var turned = longitude + east / 1_000
                            if turned > 180 { turned -= 360 }
                            return Coordinate(
                                latitude: latitude + north / 1_000, longitude: turned)
                        }
                    })))
    }

    private func box(
        _ west: Double, _ south: Double, _ east: Double, _ north: Double
    ) -> [(Double, Double)] {
        [(west, south), (east, south), (east, north), (west, north), (west, south)]
    }

    struct Row: CustomTestStringConvertible {
        var what: String
        /// West, south, east, north of each ring.
        var one: [[Double]]
        var other: [[Double]]
        var overlaps: Bool
        var testDescription: String { what }
    }

    static let rows: [Row] = [
        Row(what: "apart", one: [[0, 0, 1, 1]], other: [[2, 0, 3, 1]], overlaps: false),
        Row(what: "corners", one: [[0, 0, 2, 2]], other: [[1, 1, 3, 3]], overlaps: true),
        Row(what: "a cross", one: [[0, 4, 9, 5]], other: [[4, 0, 5, 9]], overlaps: true),
        Row(what: "one within", one: [[0, 0, 9, 9]], other: [[4, 4, 5, 5]], overlaps: true),
        Row(what: "the same", one: [[0, 0, 9, 9]], other: [[0, 0, 9, 9]], overlaps: true),
        Row(
            what: "nearly the same", one: [[0, 0, 9, 9]],
            other: [[0.000_1, 0.000_1, 9.000_1, 8.999_9]], overlaps: true),
        Row(
            what: "a common border", one: [[0, 0, 9, 9]], other: [[9, 0, 18, 9]], overlaps: false),
        Row(
            what: "a part of a common border", one: [[0, 0, 9, 9]], other: [[9, 3, 18, 5]],
            overlaps: false),
        Row(
            what: "a border drawn twice, 0.3 m into each other", one: [[0, 0, 9, 9]],
            other: [[8.996, 0, 18, 9]], overlaps: false),
        Row(
            what: "14 m into each other", one: [[0, 0, 9, 9]], other: [[8.8, 0, 18, 9]],
            overlaps: true),
        Row(
            what: "a common corner", one: [[0, 0, 9, 9]], other: [[9, 9, 18, 18]], overlaps: false),
        Row(
            what: "in the hole", one: [[0, 0, 9, 9], [2, 2, 7, 7]], other: [[3, 3, 6, 6]],
            overlaps: false),
        Row(
            what: "the hole filled", one: [[0, 0, 9, 9], [2, 2, 7, 7]], other: [[2, 2, 7, 7]],
            overlaps: false),
        Row(
            what: "out of the hole", one: [[0, 0, 9, 9], [2, 2, 7, 7]], other: [[3, 3, 8, 6]],
            overlaps: true),
        Row(
            what: "around the hole", one: [[0, 0, 9, 9], [2, 2, 7, 7]], other: [[1, 1, 8, 8]],
            overlaps: true),
    ]

    @Test(
        "outlines overlap where ground is in both, and not where they touch", arguments: rows,
        [13.0, 179.995, -71])
    func outlines(row: Row, longitude: Double) throws {
        let one = try shape(
            row.one.map { box($0[0], $0[1], $0[2], $0[3]) }, longitude: longitude)
        let other = try shape(
            row.other.map { box($0[0], $0[1], $0[2], $0[3]) }, longitude: longitude)
        #expect(one.overlaps(other, deeperThan: 1) == row.overlaps)
        #expect(other.overlaps(one, deeperThan: 1) == row.overlaps)
    }

    @Test(
        "an outline and a circle overlap where the edge is nearer than the radius",
        arguments: [
            // Metres north of the upper edge, radius.
            (100.0, 98.0, false), (100, 102, true), (100, 100.5, false), (-300, 50, true),
            (-10, 10, true), (-445, 100, false), (-445, 190, true),
        ])
    func circle(north: Double, radius: Double, overlaps: Bool) throws {
        // 1,113 m high, with a hole from 278 to 835 m, whose middle is 556 m below the upper edge.
        let outline = try shape([box(0, 0, 14, 10), box(2, 2.5, 12, 7.5)])
        let center = try #require(
            Coordinate(latitude: 52.01 + north / 111_270, longitude: 13.007))
        let circle = try PreparedShape(.circle(center: center, radiusMeters: radius))
        #expect(outline.overlaps(circle, deeperThan: 1) == overlaps)
        #expect(circle.overlaps(outline, deeperThan: 1) == overlaps)
    }

    @Test("two circles overlap where their middles are nearer than their radii")
    func circles() throws {
        let one = try #require(Coordinate(latitude: 52, longitude: 13))
        let other = try #require(Coordinate(latitude: 52.003, longitude: 13))
        func overlaps(_ first: Double, _ second: Double) throws -> Bool {
            try PreparedShape(.circle(center: one, radiusMeters: first)).overlaps(
                PreparedShape(.circle(center: other, radiusMeters: second)), deeperThan: 1)
        }
        #expect(try !overlaps(150, 150))
        #expect(try overlaps(150, 200))
        #expect(try overlaps(10, 400))
    }

    @Test("of random stars it finds what a grid of places finds, and nothing where they are apart")
    func random() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var found = (both: 0, none: 0)
        for _ in 0..<120 {
            let one = try star(0, 0, &generator)
            let other = try star(
                16 * (generator.unit() - 0.5), 16 * (generator.unit() - 0.5), &generator)
            guard one.defects.isEmpty, other.defects.isEmpty else { continue }
            var deepest = -Double.infinity
            for east in stride(from: -9.0, through: 9, by: 0.5) {
                for north in stride(from: -9.0, through: 9, by: 0.5) {
                    let place = try #require(
                        Coordinate(latitude: 52 + north / 1_000, longitude: 13 + east / 1_000))
                    deepest = max(
                        deepest,
                        min(one.signedDistance(to: place), other.signedDistance(to: place)))
                }
            }
            let overlaps = one.overlaps(other, deeperThan: 1)
            #expect(overlaps == other.overlaps(one, deeperThan: 1))
            if deepest > 10 { #expect(overlaps) }
            // Places of the grid lie 56 m apart: nothing 60 m deep is between them.
            if deepest < -60 { #expect(!overlaps) }
            if overlaps { found.both += 1 } else { found.none += 1 }
        }
        #expect(found.both > 20 && found.none > 5)
    }

    /// Teeth 2 m apart and half as wide, up and down or across: four vertices for each.
    private func comb(teeth: Int, isUpright: Bool) throws -> PreparedShape {
        let pitch = 0.02
        let length = Double(teeth) * pitch
        var ring: [(Double, Double)] = []
        for tooth in 0..<teeth {
            let start = Double(tooth) * pitch
            ring += [
                (start, 0), (start, length), (start + pitch / 2, length), (start + pitch / 2, 0),
            ]
        }
        // The back, below the first tooth and the last one.
        ring += [(length, -0.1), (-0.1, -0.1), (-0.1, 0), ring[0]]
        return try shape([isUpright ? ring : ring.map { ($0.1, $0.0) }])
    }

    private func charge(teeth: Int) throws -> Int {
        var effort = OverlapEffort(limit: .max)
        let upright = try comb(teeth: teeth, isUpright: true)
        // So deep nothing is: nothing ends the work early.
        let overlaps = upright.overlaps(
            try comb(teeth: teeth, isUpright: false), deeperThan: 100, within: &effort)
        #expect(overlaps == false)
        return .max - effort.remaining
    }

    @Test("combs that cross each other are charged for every part of every edge")
    func charged() throws {
        // 2 x 4 x 30 edges cross 60 others: as many places, three depths in half of them, and each of
        // those looks at 120 edges or more.
        let small = try charge(teeth: 30)
        #expect(small > 240 * 60 / 2 * 120 * 4)
        // Twice the teeth are nearly eight times the work.
        let large = try charge(teeth: 60)
        #expect(large > 6 * small && large < 9 * small)
    }

    @Test("an effort that is used up ends the work, and what is not known is no answer")
    func usedUp() throws {
        let upright = try comb(teeth: 500, isUpright: true)
        let across = try comb(teeth: 500, isUpright: false)
        #expect(upright.vertexCount > 1_999)
        for limit in [0, 1, 1_000_000, 5_000_000] {
            var effort = OverlapEffort(limit: limit)
            #expect(upright.overlaps(across, deeperThan: 100, within: &effort) == nil)
            #expect(effort.isUsedUp)
        }
        var effort = OverlapEffort(limit: 1_000)
        #expect(!effort.spend(.max, times: 2) && effort.isUsedUp)
    }

    @Test("a shape known to be good measures as one that was looked through")
    func knownGood() throws {
        let looked = try comb(teeth: 20, isUpright: true)
        let known = try PreparedShape(knownGood: looked.shape)
        #expect(known == looked && known.defects == looked.defects && !known.isDegraded)
        #expect(known.enclosingCircle == looked.enclosingCircle)
        for east in [-0.5, 0, 0.105, 0.115, 1] {
            let place = try #require(
                Coordinate(latitude: 52.000_1, longitude: 13 + east / 1_000))
            #expect(known.signedDistance(to: place) == looked.signedDistance(to: place))
        }
        let empty = Shape.polygon(Polygon(rings: []))
        #expect(throws: ShapeError.self) { try PreparedShape(knownGood: empty) }
    }

    @Test("edges that are nowhere near the other outline cost one each")
    func apart() throws {
        var ring: [(Double, Double)] = []
        for place in 0..<2_000 { ring.append((Double(place) / 100, Double(place % 2) / 100)) }
        let one = try shape([ring + [(20, -1), (0, -1), ring[0]]])
        let other = try shape([ring.map { ($0.0, $0.1 + 2) } + [(20, 3), (0, 3), (0, 2)]])
        var effort = OverlapEffort(limit: 1_000_000)
        #expect(one.overlaps(other, deeperThan: 1, within: &effort) == false)
    }

    private func star(
        _ east: Double, _ north: Double, _ generator: inout SeededGenerator
    ) throws -> PreparedShape {
        let unit: [(Double, Double)] = [
            (1, 0), (0.7, 0.7), (0, 1), (-0.7, 0.7), (-1, 0), (-0.7, -0.7), (0, -1), (0.7, -0.7),
        ]
        var ring = unit.map { direction in
            let reach = 1 + 7 * generator.unit()
            return (east + reach * direction.0, north + reach * direction.1)
        }
        ring.append(ring[0])
        return try shape([ring])
    }
}

extension PreparedShape {
    /// With all the effort that it takes.
    fileprivate func overlaps(_ other: PreparedShape, deeperThan meters: Double) -> Bool {
        var effort = OverlapEffort(limit: .max)
        return overlaps(other, deeperThan: meters, within: &effort) == true
    }
}
