import TestSupport
import Testing

@testable import Geodesy

@Suite("The nearest grounds")
struct GroundSearchTests {
    @Test(
        "the nearest are those of measuring every shape, over one tree or several",
        arguments: [
            (52.5, 13.4, 0.3), (0.0, 180.0, 1.5), (-17.8, -179.95, 8.0), (88.0, 20.0, 3.0),
            (-89.0, 0.0, 2.0), (60.0, -30.0, 60.0), (10.0, 100.0, 0.01), (0.0, 0.0, 90.0),
        ])
    func exactness(latitude: Double, longitude: Double, spread: Double) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var shapes: [PreparedShape] = []
        while shapes.count < 400 {
            if let shape = RandomShape.make(
                around: latitude, longitude, spread: spread, &generator)
            {
                shapes.append(shape)
            }
        }
        // Some twice, so that there are ties.
        shapes += shapes.prefix(20)
        let parts = 1 + Int(generator.next() % 4)
        let forest = Forest(shapes, parts: parts)
        for _ in 0..<25 {
            guard
                let place = RandomShape.place(
                    around: latitude, longitude, spread: spread, &generator)
            else { continue }
            let count = 1 + Int(generator.next() % 60)
            let step = 1 + Int(generator.next() % 3)
            let point = SurfacePoint(place)
            var expected: [(distance: Double, shape: Int)] = []
            for (index, shape) in shapes.enumerated() where index % step == 0 {
                expected.append((max(0, -shape.signedDistance(to: point)), index))
            }
            expected.sort { ($0.distance, $0.shape) < ($1.distance, $1.shape) }
            let found = forest.nearest(count, to: point) { $0 % step == 0 }
            #expect(found.map(\.shape) == expected.prefix(count).map(\.shape))
            #expect(found.map(\.distance) == expected.prefix(count).map(\.distance))
        }
    }

    @Test("no box and no outline is farther than the bound that stands for it")
    func bounds() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var checked = 0
        for _ in 0..<4_000 {
            let latitude = 180 * generator.unit() - 90
            let longitude = 360 * generator.unit() - 180
            let spread = [0.01, 1, 30, 180][Int(generator.next() % 4)]
            guard
                let shape = RandomShape.make(around: latitude, longitude, spread: 1, &generator),
                let place = RandomShape.place(
                    around: latitude, longitude, spread: spread, &generator)
            else { continue }
            let point = SurfacePoint(place)
            let normal = SurfaceNormal(point.space)
            let ground = PackedGround(shape.ground)
            let distance = max(0, -shape.signedDistance(to: point))
            var box = NormalBox()
            box.extend(to: SurfaceNormal(ground.place), reach: ground.reachAngle)
            var node = GroundNode()
            node.set(3, to: box)
            let bounds = node.bounds(from: normal)
            let limit = SurfaceNormal.boundLimit(meters: distance)
            #expect(bounds[3] <= limit, "\(shape.shape) from \(place)")
            #expect(bounds[2] == .infinity)
            if ground.isOutline {
                #expect(ground.outlineBound(from: normal) <= limit, "\(shape.shape) from \(place)")
            } else {
                #expect(ground.mayBeNear(within: distance, of: point.space) == 1)
                #expect(ground.circleDistance(to: point.space) == distance)
            }
            checked += 1
        }
        #expect(checked > 2_000)
    }

    @Test("places in order of the curve are near each other")
    func order() {
        var generator = SeededGenerator(seed: 1)
        var grounds: ContiguousArray<PackedGround> = []
        for _ in 0..<5_000 {
            if let center = Coordinate(
                latitude: 180 * generator.unit() - 90, longitude: 360 * generator.unit() - 180)
            {
                grounds.append(
                    PackedGround(Ground(center: center, reachMeters: 10, isOutline: false)))
            }
        }
        var order: [UInt32] = []
        let tree = GroundTree(packing: grounds, order: &order)
        #expect(order.sorted() == (0..<UInt32(grounds.count)).map { $0 })
        func length(_ grounds: ContiguousArray<PackedGround>) -> Double {
            zip(grounds, grounds.dropFirst()).reduce(0) {
                $0 + $1.0.place.distance(to: $1.1.place)
            }
        }
        // Random neighbours are 10,000 km apart, those of the curve some hundred.
        #expect(length(tree.grounds) < length(grounds) / 20)
    }

    @Test("nothing is found in nothing, and nothing where nothing is wanted")
    func nothing() throws {
        let point = SurfacePoint(try #require(Coordinate(latitude: 1, longitude: 1)))
        let circle = try PreparedShape(.circle(center: point.coordinate, radiusMeters: 50))
        #expect(Forest([], parts: 1).nearest(3, to: point) { _ in true }.isEmpty)
        #expect(Forest([circle], parts: 1).nearest(0, to: point) { _ in true }.isEmpty)
        #expect(Forest([circle], parts: 1).nearest(3, to: point) { _ in false }.isEmpty)
        #expect(Forest([circle], parts: 1).nearest(3, to: point) { _ in true }.count == 1)
    }
}

/// Trees of shapes; ties go by the number of the shape.
private struct Forest {
    let shapes: [PreparedShape]
    private var trees: [GroundTree] = []
    private var numbers: [[Int]] = []

    init(_ shapes: [PreparedShape], parts: Int) {
        self.shapes = shapes
        for part in 0..<parts {
            let mine = shapes.indices.filter { $0 % parts == part }
            var order: [UInt32] = []
            trees.append(
                GroundTree(
                    packing: ContiguousArray(mine.map { PackedGround(shapes[$0].ground) }),
                    order: &order))
            numbers.append(order.map { mine[Int($0)] })
        }
    }

    func nearest(
        _ count: Int, to point: SurfacePoint, accepts: (Int) -> Bool
    ) -> [(distance: Double, shape: Int)] {
        func number(_ place: GroundSearch.Place) -> Int { numbers[place.tree][place.ground] }
        var search = GroundSearch(from: point, count: count)
        search.run(
            over: trees, accepts: { accepts(number($0)) },
            outlineDistance: { max(0, -shapes[number($0)].signedDistance(to: point)) },
            precedes: { number($0) < number($1) })
        return search.found.map { ($0.distanceMeters, number($0.place)) }
    }
}
