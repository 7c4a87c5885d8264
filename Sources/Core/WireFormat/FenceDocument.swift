import Geodesy
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
        try read(bytes).map(\.fence)
    }

    /// As `fences`, and throws also at the first fence whose shape is not sound, with the position in
    /// the document and on Earth: what a server would refuse.
    public static func soundFences(
        from bytes: some Collection<UInt8>
    ) throws(WireError) -> [Fence] {
        let read = try read(bytes)
        if let defect = shapeDefects(read).first { throw defect }
        for (_, wire, place) in read {
            guard let defect = FenceCheck.noticeDefects(of: wire).first else { continue }
            throw place.error(WireError(pointer: defect.pointer, detail: defect.detail))
        }
        return read.map(\.fence)
    }

    /// As `fences`, and the first defect of each shape that is not sound, with the position in the
    /// document and on Earth. Such a fence is judged as well as it can be (even-odd), or not at all.
    public static func examinedFences(
        from bytes: some Collection<UInt8>
    ) throws(WireError) -> (fences: [Fence], defects: [WireError]) {
        let read = try read(bytes)
        return (read.map(\.fence), shapeDefects(read))
    }

    private static func shapeDefects(
        _ read: [(fence: Fence, wire: WireFence, place: FencePlace)]
    ) -> [WireError] {
        read.compactMap { fence, wire, place in
            firstDefect(of: fence.shape).map { place.error($0.error(in: wire)) }
        }
    }

    private static func firstDefect(of shape: Shape) -> ShapeDefect? {
        if let defect = ShapeValidator.defects(of: shape).first { return defect }
        do throws(ShapeError) {
            _ = try PreparedShape(shape)
            return nil
        } catch {
            return error.defects.first
        }
    }

    private static func read(
        _ bytes: some Collection<UInt8>
    ) throws(WireError) -> [(fence: Fence, wire: WireFence, place: FencePlace)] {
        let (wire, form) = try wireFences(from: bytes)
        guard wire.count <= maxFences else {
            throw WireError(
                pointer: form.pointer, detail: "\(wire.count) fences, at most \(maxFences)")
        }
        var result: [(fence: Fence, wire: WireFence, place: FencePlace)] = []
        var seen: Set<String> = []
        for (index, fence) in wire.enumerated() {
            let place = FencePlace(form: form, index: index)
            guard seen.insert(fence.id.text).inserted else {
                throw place.error(
                    WireError(pointer: "", detail: "id '\(fence.id.text)' stands twice"))
            }
            do throws(WireError) {
                result.append((try fence.fence(), fence, place))
            } catch {
                throw place.error(error)
            }
        }
        return result
    }

    /// The fences of a document in wire form and where in it each stands, without looking at what
    /// they say.
    public static func wireFences(
        in bytes: some Collection<UInt8>
    ) throws(WireError) -> [(wire: WireFence, place: FencePlace)] {
        let (fences, form) = try wireFences(from: bytes)
        return fences.enumerated().map { ($1, FencePlace(form: form, index: $0)) }
    }

    private static func wireFences(
        from bytes: some Collection<UInt8>
    ) throws(WireError) -> (fences: [WireFence], form: FencePlace.Form) {
        guard let first = bytes.first(where: { !isSpace($0) }) else {
            throw WireError(pointer: "", detail: "the document is empty")
        }
        if first == UInt8(ascii: "[") {
            return (try WireCoding.decode([WireFence].self, from: bytes), .list)
        }
        let kind = try WireCoding.decode(Kind.self, from: bytes)
        if let type = kind.type {
            let collection = try WireCoding.decode(FenceFeatureCollection.self, from: bytes)
            return (collection.fences, type == "Feature" ? .feature : .collection)
        }
        return (try WireCoding.decode(List.self, from: bytes).fences, .members)
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

extension WireFence {
    /// "fence 'depot-4' (Depot 4)"
    fileprivate var label: String {
        let name = name.flatMap { $0 == id.text ? nil : " (\($0.prefix(80)))" } ?? ""
        return "fence '\(id.text.prefix(128))'\(name)"
    }
}

extension ShapeDefect {
    /// The defect with its pointer below the fence and its place on Earth.
    fileprivate func error(in wire: WireFence) -> WireError {
        guard code != .radiusOutOfRange else {
            let range = ShapeLimits.radiusMeters
            return WireError(
                pointer: "/radius_m",
                detail: "\(wire.radiusMeters ?? 0) of \(wire.label) is out of range, allowed "
                    + "\(range.lowerBound)...\(range.upperBound)")
        }
        var pointer = "/geometry/coordinates"
        if case .multiPolygon = wire.geometry { pointer += "/\(polygon)" }
        if let ring { pointer += "/\(ring)" }
        if ring != nil, let position { pointer += "/\(position)" }
        return WireError(
            pointer: pointer, detail: "\(code.rawValue) of \(wire.label)", place: place)
    }
}
