import Geodesy

/// Where in a fence's wire form the defects of its shape stand.
public enum FenceGeometryCheck {
    /// Whether the geometry is of the kind that the fence says it is.
    public static func fits(_ wire: WireFence) -> Bool {
        switch (wire.type, wire.geometry) {
        case (_, nil), (.polygon, .polygon), (.multipolygon, .multiPolygon):
            true
        default: false
        }
    }

    /// Positions that are not on Earth, told apart from those with latitude and longitude swapped.
    public static func positionDefects(of wire: WireFence) -> [ShapeDefect] {
        switch wire.type {
        case .circle:
            return wire.center.flatMap {
                ShapeDefect.ofPosition(longitude: $0.lon, latitude: $0.lat)
            }.map { [$0] } ?? []
        case .polygon, .multipolygon:
            return polygons(wire.geometry).enumerated().flatMap { polygon, rings in
                rings.enumerated().flatMap { ring, positions in
                    positions.enumerated().compactMap { index, position in
                        defect(position, polygon: polygon, ring: ring, index: index)
                    }
                }
            }
        }
    }

    private static func defect(
        _ position: [Double], polygon: Int, ring: Int, index: Int
    ) -> ShapeDefect? {
        // A position that is too short is told by the reader of the wire form.
        guard position.count >= 2 else { return nil }
        return ShapeDefect.ofPosition(
            longitude: position[0], latitude: position[1], polygon: polygon, ring: ring,
            position: index)
    }

    private static func polygons(_ geometry: WireGeometry?) -> [[[[Double]]]] {
        switch geometry {
        case .polygon(let rings): [rings]
        case .multiPolygon(let list): list
        case .point, nil: []
        }
    }

    /// Whether it is no polygon's of several: it has none, or they are too much together.
    private static func isOfWhole(_ defect: ShapeDefect) -> Bool {
        switch defect.code {
        case .tooManyVertices, .tooLarge: true
        case .empty: defect.ring == nil && defect.polygon == 0
        default: false
        }
    }

    /// JSON pointer below the fence.
    public static func pointer(of defect: ShapeDefect, _ type: WireFence.Kind) -> String {
        guard type != .circle else {
            return defect.code == .radiusOutOfRange ? "/radius_m" : "/center"
        }
        var pointer = "/geometry/coordinates"
        if type == .multipolygon, !isOfWhole(defect) { pointer += "/\(defect.polygon)" }
        if let ring = defect.ring {
            pointer += "/\(ring)"
            if let position = defect.position { pointer += "/\(position)" }
        }
        return pointer
    }
}
