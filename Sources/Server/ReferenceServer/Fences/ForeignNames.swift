import WireFormat

/// Members of GeoJSON features that say nothing about a fence. Tools write their own, so they are
/// passed over; but one may be a misspelled name of ours, so each name is told once.
struct ForeignNames {
    /// Names that are told.
    static let limit = 100

    private var names: [Name] = []
    private var places: [ExactText: Int] = [:]

    private struct Name {
        var text: String
        /// Of the first feature that has it.
        var pointer: String
        var fenceID: String
        var features = 1
    }

    /// `pointer`: to the feature.
    mutating func note(_ feature: JSONNode, at pointer: String) {
        let properties = feature.member("properties")?.members ?? []
        let id = Self.id(of: feature)
        for property in properties
        where !FenceReading.names.contains(property.name)
            && !GeoJSONFences.ownNames.contains(property.name)
        {
            note(property.name, at: pointer + "/properties" + JSONPointer.step(property.name), id)
        }
        for member in feature.members where !Self.members.contains(member.name) {
            note(member.name, at: pointer + JSONPointer.step(member.name), id)
        }
    }

    private mutating func note(_ name: String, at pointer: String, _ id: String) {
        // The same name beside the properties is another one.
        let key = ExactText("\(pointer.contains("/properties/") ? "p" : "f") \(name)")
        if let place = places[key] {
            names[place].features += 1
        } else if names.count < Self.limit {
            places[key] = names.count
            names.append(Name(text: name, pointer: pointer, fenceID: id))
        }
    }

    /// Of a feature in RFC 7946.
    private static let members: Set<String> = ["type", "id", "geometry", "properties", "bbox"]

    private static func id(of feature: JSONNode) -> String {
        let node = feature.member("id") ?? feature.member("properties")?.member("id")
        return node.flatMap { try? WireCoding.decode(WireID.self, from: $0.text).text } ?? ""
    }

    var warnings: [FenceReading.Warning] {
        names.map { name in
            let rest =
                name.features > 1 ? "; so it was in \(name.features - 1) more features" : ""
            return .init(
                fenceID: name.fenceID, code: "unknown_property",
                detail:
                    "'\(name.text.prefix(80))' is no member of a fence and was passed over\(rest)",
                pointer: name.pointer)
        }
    }
}
