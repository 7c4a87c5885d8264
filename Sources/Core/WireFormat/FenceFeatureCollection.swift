import Geofencing

/// Fences as GeoJSON (RFC 7946): the feature's id and the wire's names as properties; a Point with
/// `radius_m` (or `radius`) is a circle.
public struct FenceFeatureCollection: Hashable, Sendable {
    public var fences: [WireFence]

    public init(_ fences: [WireFence]) {
        self.fences = fences
    }
}

extension FenceFeatureCollection: Codable {
    private enum CodingKeys: String, CodingKey { case type, features }

    /// Reads a FeatureCollection or a single Feature.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(String.self, forKey: .type) {
        case "FeatureCollection":
            fences = try container.decode([FenceFeature].self, forKey: .features).map(\.fence)
        case "Feature":
            fences = [try FenceFeature(from: decoder).fence]
        case let other:
            throw WireError(
                pointer: WireError.pointer(container.codingPath + [CodingKeys.type]),
                detail: "'\(other.prefix(40))' is not FeatureCollection or Feature")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("FeatureCollection", forKey: .type)
        try container.encode(fences.map(FenceFeature.init), forKey: .features)
    }
}

/// One fence as a GeoJSON feature.
struct FenceFeature: Hashable, Sendable {
    var fence: WireFence
}

extension FenceFeature: Codable {
    private enum CodingKeys: String, CodingKey { case type, id, geometry, properties }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        var members =
            try container.decodeIfPresent([String: JSONValue].self, forKey: .properties) ?? [:]
        if let id = try container.decodeIfPresent(WireID.self, forKey: .id) {
            members["id"] = .string(id.text)
        }
        guard members["id"] != nil else {
            throw DecodingError.keyNotFound(
                CodingKeys.id,
                .init(codingPath: decoder.codingPath, debugDescription: "a fence has an id"))
        }
        let geometry = try container.decode(WireGeometry.self, forKey: .geometry)
        try Self.place(geometry, in: &members, at: container.codingPath + [CodingKeys.geometry])
        do {
            fence = try WireCoding.decode(WireFence.self, from: try WireCoding.encode(members))
        } catch let error as WireError {
            throw WireError(
                pointer: WireError.pointer(decoder.codingPath)
                    + FencePlace.featureMember(error.pointer),
                detail: error.detail, place: error.place)
        }
        switch geometry {
        case .point: break
        case .polygon, .multiPolygon: fence.geometry = geometry
        }
    }

    /// Puts what the geometry says of a fence's type and place among its members.
    private static func place(
        _ geometry: WireGeometry, in members: inout [String: JSONValue], at path: [any CodingKey]
    ) throws {
        switch geometry {
        case .polygon: members["type"] = .string("polygon")
        case .multiPolygon: members["type"] = .string("multipolygon")
        case .point(let position):
            guard position.count >= 2 else {
                throw WireError(
                    pointer: WireError.pointer(path) + "/coordinates",
                    detail: "a position has longitude and latitude")
            }
            guard let radius = members["radius_m"] ?? members["radius"] else {
                throw WireError(
                    pointer: WireError.pointer(path), detail: "a Point needs radius_m")
            }
            members["type"] = .string("circle")
            members["radius_m"] = radius
            members["center"] = .object(["lat": .number(position[1]), "lon": .number(position[0])])
        }
        if case .point = geometry { return }
        members["geometry"] = nil
        members["center"] = nil
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        var properties = try WireCoding.decode(
            [String: JSONValue].self, from: try WireCoding.encode(fence))
        for name in ["id", "type", "center", "geometry", "distance_m"] { properties[name] = nil }
        try container.encode("Feature", forKey: .type)
        try container.encode(fence.id, forKey: .id)
        if let center = fence.center, fence.type == .circle {
            try container.encode(WireGeometry.point([center.lon, center.lat]), forKey: .geometry)
        } else {
            properties["radius_m"] = nil
            try container.encodeIfPresent(fence.geometry, forKey: .geometry)
        }
        try container.encode(properties, forKey: .properties)
    }
}
