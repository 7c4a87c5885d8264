import WireFormat

/// Fences as a GeoJSON FeatureCollection (RFC 7946): feature id and wire names as properties; a
/// Point with `radius_m` (`radius` is read too) is a circle.
enum GeoJSONFences {
    /// The wire form of a feature, as text for the reader of fences.
    static func wireText(of feature: JSONNode) -> [UInt8] {
        var members: [(name: String, value: JSONScalar)] = []
        let properties = feature.member("properties")?.members ?? []
        func add(_ name: String, _ node: JSONNode?) {
            if let node { members.append((name, .raw(Array(node.text)))) }
        }
        func property(_ name: String) -> JSONNode? { properties.first { $0.name == name }?.value }
        let geometry = feature.member("geometry")
        add("id", feature.member("id") ?? property("id"))
        switch geometry?.member("type")?.string {
        case "Point":
            members.append(("type", .string("circle")))
            if let center = center(of: geometry) { members.append(("center", center)) }
            add("radius_m", property("radius_m") ?? property("radius"))
        case "MultiPolygon":
            members.append(("type", .string("multipolygon")))
            add("geometry", geometry)
        default:
            members.append(("type", .string("polygon")))
            add("geometry", geometry)
        }
        for property in properties where !Self.ownNames.contains(property.name) {
            add(property.name, property.value)
        }
        return JSONObjectText.prefixing(members, to: Array("{}".utf8))
    }

    private static func center(of geometry: JSONNode?) -> JSONScalar? {
        guard let coordinates = geometry?.member("coordinates")?.elements,
            coordinates.count >= 2
        else { return nil }
        return .raw(
            JSONObjectText.prefixing(
                [
                    ("lat", .raw(Array(coordinates[1].text))),
                    ("lon", .raw(Array(coordinates[0].text))),
                ], to: Array("{}".utf8)))
    }

    /// Properties that say again what the feature itself says.
    static let ownNames: Set<String> = [
        "id", "type", "geometry", "center", "radius", "radius_m", "distance_m", "version",
        "created_at",
    ]

    /// The whole collection of kept fences.
    static func collection(of fences: [StoredFence]) throws(JSONSyntaxError) -> [UInt8] {
        var features: [[UInt8]] = []
        for fence in fences { features.append(try feature(of: fence)) }
        return JSONObjectText.prefixing(
            [("type", .string("FeatureCollection")), ("features", .array(features))],
            to: Array("{}".utf8))
    }

    private static func feature(of fence: StoredFence) throws(JSONSyntaxError) -> [UInt8] {
        let wire = try JSONDocument(fence.document).root
        let kept = wire.members.filter { $0.name != "geometry" && $0.name != "center" }
            .map { (name: $0.name, value: JSONScalar.raw(Array($0.value.text))) }
        return JSONObjectText.prefixing(
            [
                ("type", .string("Feature")), ("id", .string(fence.id)),
                ("geometry", geometry(of: wire)),
                ("properties", .raw(JSONObjectText.prefixing(kept, to: Array("{}".utf8)))),
            ], to: Array("{}".utf8))
    }

    private static func geometry(of wire: JSONNode) -> JSONScalar {
        if let geometry = wire.member("geometry") { return .raw(Array(geometry.text)) }
        let center = wire.member("center")
        guard let lat = center?.member("lat"), let lon = center?.member("lon") else {
            return .null
        }
        let position: [UInt8] =
            [UInt8(ascii: "[")] + lon.text + [UInt8(ascii: ",")] + lat.text + [UInt8(ascii: "]")]
        return .raw(
            JSONObjectText.prefixing(
                [("type", .string("Point")), ("coordinates", .raw(position))],
                to: Array("{}".utf8)))
    }
}
