import Geodesy

/// The same answers as `FenceLandIndex` from going through all fences, without any index.
///
/// Most fences are passed over by a distance that they are certainly beyond: the straight line
/// through the Earth to a point of theirs, less the farthest that anything of them is from it. Both
/// are taken from the coordinates alone, by nothing that an index is made of. The rest is measured.
public struct FenceLandMeasure: Sendable {
    private let shapes: [PreparedShape]
    private let spots: ContiguousArray<Spot>

    /// WGS 84, metres.
    private static let equatorialRadius = 6_378_137.0
    private static let flattening = 1 / 298.257_223_563
    /// A distance is at most so much less than the true one (0.56 % across continents).
    private static let shareOfDistance = 0.99
    /// Of a meridian at a pole; no other degree is longer.
    private static let metersPerDegree = 111_700.0
    /// Metres, for what rounding and the plane of a polygon may add.
    private static let slackMeters = 5.0

    /// A place in space, metres from the middle of the Earth, and how far from there a fence may be.
    private struct Spot {
        var x: Double
        var y: Double
        var z: Double
        /// Metres.
        var reach = 0.0

        /// From which a fence may be anywhere.
        init() {
            (x, y, z, reach) = (0, 0, 0, .infinity)
        }

        init(_ place: Coordinate) {
            let (sine, cosine) = Self.sineAndCosine(degrees: place.latitude)
            let (sineEast, cosineEast) = Self.sineAndCosine(degrees: place.longitude)
            let squared = flattening * (2 - flattening)
            let transverse = equatorialRadius / (1 - squared * sine * sine).squareRoot()
            x = transverse * cosine * cosineEast
            y = transverse * cosine * sineEast
            z = transverse * (1 - squared) * sine
        }

        @inline(__always)
        func squaredDistance(to other: Spot) -> Double {
            let dx = x - other.x
            let dy = y - other.y
            let dz = z - other.z
            return dx * dx + dy * dy + dz * dz
        }

        static func sineAndCosine(degrees: Double) -> (sine: Double, cosine: Double) {
            let way = PlaneOffset(eastMeters: 0, northMeters: 1)
                .turned(byRadians: degrees * .pi / 180)
            return (way.eastMeters, way.northMeters)
        }
    }

    public init(_ land: FenceLand) throws(ShapeError) {
        var shapes: [PreparedShape] = []
        var spots: ContiguousArray<Spot> = []
        shapes.reserveCapacity(land.grounds.count)
        spots.reserveCapacity(land.grounds.count)
        for index in land.grounds.indices {
            let shape = land.shape(index)
            shapes.append(try PreparedShape(shape))
            spots.append(Self.spot(of: shape))
        }
        self.shapes = shapes
        self.spots = spots
    }

    private static func spot(of shape: Shape) -> Spot {
        let rings: [[Coordinate]]
        switch shape {
        case .circle(let center, let radius):
            var spot = Spot(center)
            spot.reach = radius
            return spot
        case .polygon(let polygon): rings = polygon.rings
        case .multiPolygon(let polygons): rings = polygons.flatMap(\.rings)
        }
        guard let first = rings.first?.first else { return Spot() }
        var spot = Spot(first)
        for ring in rings {
            for (start, end) in zip(ring, ring.dropFirst()) {
                // Whatever is on an edge is no farther from one of its ends than half its length.
                let half = length(from: start, to: end) / 2
                let far = max(
                    spot.squaredDistance(to: Spot(start)), spot.squaredDistance(to: Spot(end)))
                spot.reach = max(spot.reach, far.squareRoot() + half)
            }
        }
        return spot
    }

    /// Metres along an edge, which is straight in longitude and latitude, at the most.
    private static func length(from start: Coordinate, to end: Coordinate) -> Double {
        let isAcrossEquator = (start.latitude < 0) != (end.latitude < 0)
        let lowest = isAcrossEquator ? 0 : min(abs(start.latitude), abs(end.latitude))
        var east = abs(end.longitude - start.longitude)
        east = min(east, 360 - east) * Spot.sineAndCosine(degrees: lowest).cosine
        let north = end.latitude - start.latitude
        return metersPerDegree * (east * east + north * north).squareRoot()
    }

    /// As `FenceLandIndex.nearest`.
    public func nearest(_ count: Int, to place: Coordinate) -> [FenceLandIndex.Answer] {
        let point = SurfacePoint(place)
        let here = Spot(place)
        var best: [FenceLandIndex.Answer] = []
        // Metres in a straight line; what is farther is not among them.
        var limit = Double.infinity
        for index in spots.indices {
            let far = limit + spots[index].reach
            guard spots[index].squaredDistance(to: here) <= far * far else { continue }
            let distance = max(0, -shapes[index].signedDistance(to: point))
            // Of two at the same distance the one with the lower number was there first.
            if best.count == count, let last = best.last, distance >= last.distanceMeters {
                continue
            }
            if best.count == count { best.removeLast() }
            let place = best.firstIndex { $0.distanceMeters > distance } ?? best.endIndex
            best.insert(.init(fence: index, distanceMeters: distance), at: place)
            if best.count == count, let last = best.last {
                limit = last.distanceMeters / Self.shareOfDistance + Self.slackMeters
            }
        }
        return best
    }
}
