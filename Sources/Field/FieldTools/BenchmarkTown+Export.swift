import Geodesy
import Geofencing

/// The town for another program that measures the same.
extension BenchmarkTown {
    /// Longitude and latitude of every fix, little-endian doubles, degrees.
    public var positionBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(samples.count * 16)
        for sample in samples {
            for value in [sample.longitude, sample.latitude] {
                withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes += $0 }
            }
        }
        return bytes
    }

    /// A GeoJSON feature collection; a circle is a point with `radius_m`.
    public var fenceDocument: String {
        let features = fences.map { fence in
            let (geometry, radius) = Self.geometry(of: fence.shape)
            let more = radius.map { ",\"radius_m\":\($0)" } ?? ""
            return "{\"type\":\"Feature\",\"properties\":{\"id\":\"\(fence.id)\"\(more)},"
                + "\"geometry\":\(geometry)}"
        }
        return "{\"type\":\"FeatureCollection\",\"features\":["
            + features.joined(separator: ",\n") + "]}\n"
    }

    private static func geometry(of shape: Shape) -> (text: String, radiusMeters: Double?) {
        switch shape {
        case .circle(let center, let radius):
            ("{\"type\":\"Point\",\"coordinates\":\(position(center))}", radius)
        case .polygon(let polygon):
            ("{\"type\":\"Polygon\",\"coordinates\":\(rings(polygon))}", nil)
        case .multiPolygon(let polygons):
            (
                "{\"type\":\"MultiPolygon\",\"coordinates\":["
                    + polygons.map(rings).joined(separator: ",") + "]}", nil
            )
        }
    }

    private static func rings(_ polygon: Polygon) -> String {
        let rings = polygon.rings.map {
            "[" + $0.map(position).joined(separator: ",") + "]"
        }
        return "[" + rings.joined(separator: ",") + "]"
    }

    private static func position(_ coordinate: Coordinate) -> String {
        "[\(coordinate.longitude),\(coordinate.latitude)]"
    }
}
