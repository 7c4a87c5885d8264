import Geodesy
import WireFormat

extension Route {
    /// Reads a GeoJSON Feature with a LineString. `properties.speed_mps` is the speed to keep,
    /// default 15; `properties.stops` holds `[vertex, seconds]` pairs and `properties.tunnels`
    /// `[vertex, vertex]` pairs, vertices counted from 0.
    public init(geoJSON bytes: some Sequence<UInt8>) throws(RouteError) {
        let document: Document
        do {
            document = try WireCoding.decode(Document.self, from: bytes)
        } catch {
            throw RouteError(error.pointer, error.placedDetail)
        }
        guard document.type == "Feature" else {
            throw RouteError("type", "'\(document.type.prefix(40))' is not Feature")
        }
        guard document.geometry.type == "LineString" else {
            throw RouteError(
                "geometry.type", "'\(document.geometry.type.prefix(40))' is not LineString")
        }
        let properties = document.properties
        try self.init(
            positions: try Self.positions(document.geometry.coordinates),
            speedMetersPerSecond: properties?.speed ?? 15,
            stops: try Self.pairs(properties?.stops, of: "stops")
                .map { Stop(vertex: $0.vertex, seconds: $0.second) },
            tunnels: try Self.pairs(properties?.tunnels, of: "tunnels")
                .map { Tunnel(entrance: $0.vertex, exit: Int(exactly: $0.second) ?? -1) })
    }

    private static func positions(_ pairs: [[Double]]) throws(RouteError) -> [Coordinate] {
        var positions: [Coordinate] = []
        positions.reserveCapacity(pairs.count)
        for (index, pair) in pairs.enumerated() {
            guard pair.count >= 2, let position = Coordinate(latitude: pair[1], longitude: pair[0])
            else {
                throw RouteError(
                    "geometry.coordinates[\(index)]",
                    "\(pair) is not [longitude, latitude] on Earth")
            }
            positions.append(position)
        }
        return positions
    }

    private static func pairs(
        _ pairs: [[Double]]?, of key: String
    ) throws(RouteError) -> [(vertex: Int, second: Double)] {
        var result: [(vertex: Int, second: Double)] = []
        for (index, pair) in (pairs ?? []).enumerated() {
            guard pair.count == 2, let vertex = Int(exactly: pair[0]) else {
                throw RouteError(
                    "properties.\(key)[\(index)]",
                    "\(pair) is not a pair that begins with a vertex")
            }
            result.append((vertex, pair[1]))
        }
        return result
    }

    private struct Document: Decodable {
        let type: String
        let geometry: Geometry
        let properties: Properties?
    }

    private struct Geometry: Decodable {
        let type: String
        let coordinates: [[Double]]
    }

    private struct Properties: Decodable {
        let speed: Double?
        let stops: [[Double]]?
        let tunnels: [[Double]]?

        enum CodingKeys: String, CodingKey {
            case stops, tunnels
            case speed = "speed_mps"
        }
    }
}
