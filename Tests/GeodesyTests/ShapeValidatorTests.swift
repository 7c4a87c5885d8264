import Geodesy
import Testing

@Suite("What is wrong with a shape")
struct ShapeValidatorTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var rings: [[[Double]]]
        var defects: [ShapeDefect.Code]

        init(_ name: String, _ rings: [[[Double]]], _ defects: ShapeDefect.Code...) {
            testDescription = name
            self.rings = rings
            self.defects = defects
        }
    }

    static let rows: [Row] = [
        Row("a square", [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]),
        Row(
            "a square with a hole",
            [
                [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]],
                [[0.2, 0.2], [0.4, 0.2], [0.3, 0.4], [0.2, 0.2]],
            ]),
        Row("a repeated position", [[[0, 0], [1, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]),
        Row("a straight corner", [[[0, 0], [0.5, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]),
        Row(
            "across the antimeridian", [[[179, 0], [-179, 0], [-179, 1], [179, 1], [179, 0]]]),
        Row(
            "a hole that touches at a point",
            [
                [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]],
                [[0, 0.5], [0.4, 0.4], [0.4, 0.6], [0, 0.5]],
            ]),
        Row(
            "a bow tie", [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]], .selfIntersection, .zeroArea),
        Row(
            "a lopsided bow tie", [[[0, 0], [1, 1], [1, 0], [0, 2], [0, 0]]], .selfIntersection),
        Row("a spike", [[[0, 0], [2, 0], [1, 0], [1, 1], [0, 0]]], .selfIntersection),
        Row(
            "a corner on another edge", [[[0, 0], [2, 0], [2, 2], [1, 0], [0, 2], [0, 0]]],
            .selfIntersection, .selfIntersection),
        Row(
            "a hole that crosses",
            [
                [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]],
                [[0.5, 0.5], [1.5, 0.5], [0.7, 0.7], [0.5, 0.5]],
            ], .selfIntersection, .selfIntersection),
        Row(
            "a hole beside",
            [
                [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]],
                [[2.2, 0.2], [2.4, 0.2], [2.3, 0.4], [2.2, 0.2]],
            ], .holeOutside),
        Row(
            "a hole beside that touches at a corner",
            [
                [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]],
                [[1, 1], [1.2, 1], [1.2, 1.2], [1, 1]],
            ], .holeOutside),
        Row(
            "a hole that touches with every corner",
            [
                [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]],
                [[0.5, 0], [1, 0.5], [0.5, 1], [0, 0.5], [0.5, 0]],
            ]),
        Row(
            "a hole across the antimeridian",
            [
                [[179, 0], [-179, 0], [-179, 1], [179, 1], [179, 0]],
                [[-179.9, 0.2], [-179.5, 0.2], [-179.5, 0.4], [-179.9, 0.2]],
            ]),
        Row("unclosed", [[[0, 0], [1, 0], [1, 1], [0, 1]]], .unclosed),
        Row("zero area", [[[0, 0], [1, 0], [2, 0], [0, 0]]], .zeroArea, .selfIntersection),
        Row(
            "too few",
            [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]], [[0, 0], [1, 0], [0, 0]]],
            .tooFewPositions),
        Row(
            "too wide", [[[-100, 0], [0, 0], [100, 0], [0, 10], [-100, 0]]], .tooWide, .tooLarge),
        Row(
            "around the pole", [[[0, 89.9], [120, 89.9], [-120, 89.9], [0, 89.9]]], .holdsPole),
        Row("300 miles across", [[[0, 0], [4.6, 0], [4.6, 1], [0, 1], [0, 0]]], .tooLarge),
        Row("270 miles across", [[[0, 0], [4, 0], [4, 1], [0, 1], [0, 0]]]),
    ]

    @Test("a polygon's defects are found, and it is measured all the same", arguments: rows)
    func defects(row: Row) throws {
        let shape = try PreparedShape(
            .polygon(
                Polygon(
                    rings: row.rings.map {
                        try $0.map {
                            try #require(Coordinate(latitude: $0[1], longitude: $0[0]))
                        }
                    })))
        #expect(Set(shape.defects.map(\.code)) == Set(row.defects), "\(shape.defects)")
        #expect(shape.isDegraded == !row.defects.isEmpty)
        let place = try #require(Coordinate(latitude: 0.1, longitude: 0.1))
        #expect(shape.signedDistance(to: place).isFinite)
    }

    @Test("a defect says where it is")
    func place() throws {
        let rings = [[0.0, 0], [1, 1], [1, 0], [0, 2], [0, 0]]
        let ring = try rings.map { try #require(Coordinate(latitude: $0[1], longitude: $0[0])) }
        let defect = try #require(
            ShapeValidator.defects(of: .polygon(Polygon(rings: [ring]))).first)
        #expect(defect.ring == 0)
        #expect(defect.position == 0)
        #expect(abs((defect.longitude ?? 0) - 2.0 / 3) < 1e-12)
        #expect(abs((defect.latitude ?? 0) - 2.0 / 3) < 1e-12)
    }

    @Test(
        "a circle's radius is 10 m to 100 km",
        arguments: [
            (10.0, true), (100_000, true), (9.99, false), (100_000.1, false), (0, false),
            (-50, false), (.nan, false), (.infinity, false),
        ])
    func radius(meters: Double, isValid: Bool) throws {
        let center = try #require(Coordinate(latitude: 1, longitude: 2))
        let shape = Shape.circle(center: center, radiusMeters: meters)
        let defects = ShapeValidator.defects(of: shape)
        #expect(defects.map(\.code) == (isValid ? [] : [.radiusOutOfRange]))
        #expect(((try? PreparedShape(shape)) != nil) == isValid)
    }

    @Test("nothing to measure is an error: no polygon, no ring, two places, 10,001 vertices")
    func unmeasurable() throws {
        let place = try #require(Coordinate(latitude: 1, longitude: 2))
        let other = try #require(Coordinate(latitude: 1, longitude: 3))
        let many = (0...10_000).map { Coordinate(latitude: Double($0) / 1000, longitude: 0) }
            .compactMap { $0 }
        for shape in [
            Shape.multiPolygon([]), .polygon(Polygon(rings: [])), .polygon(Polygon(rings: [[]])),
            .polygon(Polygon(rings: [[place, other, place]])),
            .polygon(Polygon(rings: [[place, place, place, place]])),
            .polygon(Polygon(rings: [many])),
        ] {
            do {
                _ = try PreparedShape(shape)
                Issue.record("\(shape) was prepared")
            } catch {
                #expect(!error.defects.isEmpty)
            }
        }
    }

    @Test(
        "a position that is not on Earth is named, and one that would be if exchanged",
        arguments: [
            (11.0, 48.0, nil), (48.0, 111.0, ShapeDefect.Code.swappedAxes),
            (181, 48, .outOfRange), (111, 111, .outOfRange), (.nan, 3, .outOfRange),
        ] as [(Double, Double, ShapeDefect.Code?)])
    func position(longitude: Double, latitude: Double, code: ShapeDefect.Code?) {
        let defect = ShapeDefect.ofPosition(
            longitude: longitude, latitude: latitude, ring: 1, position: 7)
        #expect(defect?.code == code)
        #expect(defect.map { $0.position == 7 && $0.ring == 1 } ?? true)
    }
}
