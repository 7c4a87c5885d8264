import Geodesy
import Geofencing
import Simulation

/// The work of one fix in a seeded world, for measuring its speed: the signed distances to 18 fences
/// and the choice of 18 out of 500.
public struct GeodesyBenchmark: Sendable {
    /// Fences measured for each place.
    public static let monitored = 18
    /// Fences ranked for each place.
    public static let pool = 500

    private let shapes: [PreparedShape]
    private let fences: [PreparedFence]
    private let way: [Coordinate]

    /// Throws only for a world whose fences cannot be measured.
    public init(center: Coordinate, seed: UInt64 = 1) throws(ShapeError) {
        let world = World(.dense, center: center, count: Self.pool, seed: seed)
        var fences: [PreparedFence] = []
        for fence in world.fences { fences.append(try PreparedFence(fence)) }
        self.fences = fences
        let point = SurfacePoint(center)
        let ranked = fences.map {
            (distance: -$0.shape.signedDistance(to: point), shape: $0.shape)
        }
        shapes = ranked.sorted { $0.distance < $1.distance }.prefix(Self.monitored).map(\.shape)
        // 20 m between fixes, to and fro over 4 km.
        let frame = LocalFrame(anchor: center)
        way = (0..<400).compactMap {
            let east = Double($0 < 200 ? $0 : 400 - $0) * 20 - 2000
            return frame.coordinate(at: PlanePoint(east: east, north: 35))
        }
    }

    /// Places in one pass.
    public var places: Int { way.count }

    /// The sum of all signed distances, so that none is left out.
    public func measureDistances() -> Double {
        var sum = 0.0
        for place in way {
            let point = SurfacePoint(place)
            for shape in shapes { sum += shape.signedDistance(to: point) }
        }
        return sum
    }

    /// How many fences joined on the way.
    public func rank() -> Int {
        var budget = RegionBudget()
        budget.setPool(fences)
        var joined = 0
        var last: Coordinate?
        for place in way {
            let selection = budget.update(
                RegionSituation(from: last, to: place, accuracyMeters: 5, speed: 20))
            joined += selection.joined.count
            last = place
        }
        return joined
    }

    /// The figures as one JSON object, or as words. Seconds: of the best pass.
    public func report(distanceSeconds: Double, rankSeconds: Double, asJSON: Bool) -> String {
        let perDistance = tenths(distanceSeconds * 1e9 / Double(places * shapes.count))
        let perRanking = tenths(rankSeconds * 1e6 / Double(places))
        guard asJSON else {
            return "\(perDistance) ns a signed distance (\(shapes.count) fences of any shape), "
                + "\(perRanking) us a choice of \(RegionBudget.limit) out of \(fences.count)"
        }
        return "{\"bench\":\"geodesy\",\"ns_per_distance\":\(perDistance),"
            + "\"us_per_ranking\":\(perRanking),\"fences\":\(shapes.count),"
            + "\"pool\":\(fences.count),\"places\":\(places)}"
    }

    private func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
