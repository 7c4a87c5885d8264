import Geodesy

/// A GeoJSON geometry (RFC 7946) of a fence: Point, Polygon or MultiPolygon, positions lon-lat.
public enum WireGeometry: Hashable, Sendable {
    case point([Double])
    case polygon([[[Double]]])
    case multiPolygon([[[[Double]]]])
}

extension WireGeometry: Codable {
    private enum CodingKeys: String, CodingKey { case type, coordinates }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let type = try container.decode(String.self, forKey: .type)
        switch type {
        case "Point":
            self = .point(try container.decode([Double].self, forKey: .coordinates))
        case "Polygon":
            self = .polygon(try container.decode([[[Double]]].self, forKey: .coordinates))
        case "MultiPolygon":
            self = .multiPolygon(try container.decode([[[[Double]]]].self, forKey: .coordinates))
        default:
            throw WireError(
                pointer: WireError.pointer(container.codingPath + [CodingKeys.type]),
                detail: "'\(type.prefix(40))' is not Point, Polygon or MultiPolygon")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .point(let position):
            try container.encode("Point", forKey: .type)
            try container.encode(position, forKey: .coordinates)
        case .polygon(let rings):
            try container.encode("Polygon", forKey: .type)
            try container.encode(rings, forKey: .coordinates)
        case .multiPolygon(let polygons):
            try container.encode("MultiPolygon", forKey: .type)
            try container.encode(polygons, forKey: .coordinates)
        }
    }
}

extension WireGeometry {
    /// The geometry of a polygon shape; nil for a circle, which has no GeoJSON form of its own.
    public init?(_ shape: Shape) {
        func rings(_ polygon: Polygon) -> [[[Double]]] {
            polygon.rings.map { $0.map { [$0.longitude, $0.latitude] } }
        }
        switch shape {
        case .circle: return nil
        case .polygon(let polygon): self = .polygon(rings(polygon))
        case .multiPolygon(let polygons): self = .multiPolygon(polygons.map(rings))
        }
    }

    /// The polygons of this geometry; empty for a point. Throws at the first position not on Earth.
    func polygons(at pointer: String) throws(WireError) -> [Polygon] {
        switch self {
        case .point: return []
        case .polygon(let rings):
            return [try Self.polygon(rings, at: pointer + "/coordinates")]
        case .multiPolygon(let list):
            var polygons: [Polygon] = []
            for (index, rings) in list.enumerated() {
                polygons.append(try Self.polygon(rings, at: "\(pointer)/coordinates/\(index)"))
            }
            return polygons
        }
    }

    private static func polygon(
        _ rings: [[[Double]]], at pointer: String
    ) throws(WireError) -> Polygon {
        var result: [[Coordinate]] = []
        for (ringIndex, ring) in rings.enumerated() {
            var positions: [Coordinate] = []
            for (index, position) in ring.enumerated() {
                positions.append(
                    try coordinate(position, at: "\(pointer)/\(ringIndex)/\(index)"))
            }
            result.append(positions)
        }
        return Polygon(rings: result)
    }

    static func coordinate(
        _ position: [Double], at pointer: String
    ) throws(WireError) -> Coordinate {
        guard position.count >= 2 else {
            throw WireError(pointer: pointer, detail: "a position has longitude and latitude")
        }
        guard let coordinate = Coordinate(latitude: position[1], longitude: position[0]) else {
            throw WireError(
                pointer: pointer,
                detail: "not on Earth"
                    + (Coordinate(latitude: position[0], longitude: position[1]) == nil
                        ? "" : ", longitude comes first,"),
                place: WireError.place(longitude: position[0], latitude: position[1]))
        }
        return coordinate
    }
}
