import Foundation
import Geodesy
import TestSupport
import Testing

/// The files that `scripts/vectors/geodesy.py` writes from geographiclib and shapely.
enum Vectors {
    struct PolygonCase: Decodable {
        var rings: [[[Double]]]
        var area: Double
        var queries: [[Double]]
    }

    static func load<Row: Decodable>(_ name: String) throws -> [Row] {
        let path = "\(SharedFolder.projectRoot)/Tests/Fixtures/geodesy/\(name)"
        let bytes = try #require(SharedFolder.readFile(path), "\(path) is missing")
        return try JSONDecoder().decode([Row].self, from: Data(bytes))
    }

    static func coordinate(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
        try #require(Coordinate(latitude: latitude, longitude: longitude))
    }
}

@Suite("Distances against the geodesic")
struct GeodesicVectorTests {
    /// Metres that a distance may be off.
    static func tolerance(_ meters: Double) -> Double {
        switch meters {
        case ...11_000: 0.000_1
        case ...110_000: 0.002
        case ...550_000: 0.01
        case ...1_100_000: 0.2
        default: meters * 0.005_6
        }
    }

    @Test("a distance between two places is the geodesic's length")
    func distances() throws {
        let rows: [[Double]] = try Vectors.load("distances.json")
        var worst: [Double: Double] = [:]
        for row in rows {
            let one = try Vectors.coordinate(row[0], row[1])
            let other = try Vectors.coordinate(row[2], row[3])
            let distance = one.distance(to: other)
            let error = abs(distance - row[4])
            let decade = row[4] < 1.1e6 ? (row[4] * 10).rounded() / 10 : .infinity
            worst[decade] = max(worst[decade] ?? 0, decade.isFinite ? error : error / row[4])
            #expect(error <= Self.tolerance(row[4]), "\(row), got \(distance)")
            #expect(one.conservativeDistance(to: other) <= row[4] + 0.000_1, "\(row)")
            #expect(abs(other.distance(to: one) - distance) <= 1e-6)
        }
        for (length, error) in worst.sorted(by: { $0.key < $1.key }) {
            print("distance \(length) m: worst error \(error)")
        }
        #expect(rows.count > 600)
    }

    @Test("the distance to a circle's edge is that of the geodesic, 10 m to 100 km")
    func circles() throws {
        let rows: [[Double]] = try Vectors.load("circles.json")
        for row in rows {
            let shape = try PreparedShape(
                .circle(center: Vectors.coordinate(row[0], row[1]), radiusMeters: row[2]))
            let distance = shape.signedDistance(to: try Vectors.coordinate(row[3], row[4]))
            let error = abs(distance - row[5])
            #expect(error <= Self.tolerance(abs(row[2] - row[5])), "\(row), got \(distance)")
        }
        #expect(rows.count > 250)
    }

    @Test("the signed distance to a polygon and its area are those of geographiclib and shapely")
    func polygons() throws {
        let rows: [Vectors.PolygonCase] = try Vectors.load("polygons.json")
        var worst = 0.0
        var worstNearby = 0.0
        var checked = 0
        for row in rows {
            let rings = try row.rings.map { try $0.map { try Vectors.coordinate($0[1], $0[0]) } }
            let shape = try PreparedShape(.polygon(Polygon(rings: rings)))
            #expect(shape.defects == [])
            #expect(abs(shape.areaSquareMeters - row.area) < 0.01 + 1e-6 * row.area)
            for query in row.queries {
                let distance = shape.signedDistance(to: try Vectors.coordinate(query[0], query[1]))
                let error = abs(distance - query[2])
                let isLarge = shape.enclosingCircle.radiusMeters > 7_500
                let bar = (isLarge ? 0.011 : 0.003) + abs(query[2]) * 1e-5
                #expect(error <= bar, "\(query) of \(row.rings), got \(distance)")
                // Whatever the size of the fence: 0.01 m at 1 km, 0.15 m at 10 km.
                if abs(query[2]) <= 1000 {
                    worstNearby = max(worstNearby, error)
                    #expect(error < 0.01, "\(query), got \(distance)")
                }
                if abs(query[2]) <= 10_000 {
                    worst = max(worst, error)
                    #expect(error < 0.15, "\(query), got \(distance)")
                }
                checked += 1
            }
        }
        print("polygons: \(checked) signed distances, worst error up to 1 km \(worstNearby) m,")
        print("up to 10 km \(worst) m")
        #expect(checked == 1000)
    }
}
