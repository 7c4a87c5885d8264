import Geofencing

/// A file of fences: GeoJSON, `{"fences": [...]}` as servers and recordings write it, or a list.
public enum FenceDocument {
    /// Fences that one document may hold.
    public static let maxFences = 10_000

    /// Reads the fences of a document. Throws at the first one that is not a fence, or when an id
    /// stands twice.
    public static func fences(
        from bytes: some Collection<UInt8>
    ) throws(WireError) -> [Fence] {
        let (wire, pointer) = try wireFences(from: bytes)
        guard wire.count <= maxFences else {
            throw WireError(pointer: pointer, detail: "\(wire.count) fences, at most \(maxFences)")
        }
        var fences: [Fence] = []
        var seen: Set<String> = []
        for (index, fence) in wire.enumerated() {
            let place = "\(pointer)/\(index)"
            guard seen.insert(fence.id.text).inserted else {
                throw WireError(pointer: place, detail: "id '\(fence.id.text)' stands twice")
            }
            fences.append(try fence.fence(at: place))
        }
        return fences
    }

    private static func wireFences(
        from bytes: some Collection<UInt8>
    ) throws(WireError) -> (fences: [WireFence], pointer: String) {
        guard let first = bytes.first(where: { !isSpace($0) }) else {
            throw WireError(pointer: "", detail: "the document is empty")
        }
        if first == UInt8(ascii: "[") {
            return (try WireCoding.decode([WireFence].self, from: bytes), "")
        }
        let kind = try WireCoding.decode(Kind.self, from: bytes)
        if kind.type != nil {
            let collection = try WireCoding.decode(FenceFeatureCollection.self, from: bytes)
            return (collection.fences, "/features")
        }
        return (try WireCoding.decode(List.self, from: bytes).fences, "/fences")
    }

    private struct Kind: Decodable {
        var type: String?
    }

    private struct List: Decodable {
        var fences: [WireFence]
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
