import Glibc

/// Areas on the ellipsoid, of edges that are straight in lon/lat.
enum RingArea {
    /// The exterior without its holes, square metres, 0 or more.
    static func squareMeters(ofPolygon rings: [UnwrappedRing]) -> Double {
        guard let exterior = rings.first else { return 0 }
        return max(
            0,
            rings.dropFirst().reduce(squareMeters(of: exterior)) {
                $0 - squareMeters(of: $1)
            })
    }

    /// Square metres, 0 or more; loops of opposite turn cancel.
    static func squareMeters(of ring: UnwrappedRing) -> Double {
        guard let first = ring.positions.first else { return 0 }
        // Measured from the first latitude rather than the equator, a small ring keeps its digits.
        let base = area(first.latitude)
        var sum = 0.0
        for (from, to) in zip(ring.positions, ring.positions.dropFirst()) {
            sum += strip(from, to, base)
        }
        return abs(sum)
    }

    /// Between an edge and the base latitude, by Simpson's rule on pieces of a degree.
    private static func strip(
        _ from: PlanarPosition, _ to: PlanarPosition, _ base: Double
    ) -> Double {
        let width = (to.longitude - from.longitude) * .radiansPerDegree
        guard width != 0 else { return 0 }
        let height = to.latitude - from.latitude
        let count = max(1, Int(abs(height).rounded(.up)))
        var sum = 0.0
        for index in 0..<count {
            let low = from.latitude + height * Double(index) / Double(count)
            let high = from.latitude + height * Double(index + 1) / Double(count)
            sum +=
                ((area(low) - base) + 4 * (area((low + high) / 2) - base) + (area(high) - base)) / 6
        }
        return width * sum / Double(count)
    }

    private static func area(_ latitude: Double) -> Double {
        Ellipsoid.areaFunction(sine: sin(latitude * .radiansPerDegree))
    }
}
