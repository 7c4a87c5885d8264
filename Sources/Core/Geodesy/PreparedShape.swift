/// A shape laid out for measuring: made once when a fence is loaded, asked many times a fix.
///
/// One implementation for the agent, the server and the tools. Distances are metres on the WGS84
/// ellipsoid: below 0.01 m from the geodesic at 1 km and 0.15 m at 10 km, at every latitude.
/// Edges are straight in lon/lat (RFC 7946 section 3.1.1), to 2 mm for a shape up to 20 km across.
/// Copying costs two references.
public struct PreparedShape: Sendable {
    private enum Form: Sendable {
        case circle(CircleForm)
        case polygon(PolygonForm)
    }

    private final class Contents: Sendable {
        let shape: Shape
        let defects: [ShapeDefect]

        init(shape: Shape, defects: [ShapeDefect]) {
            self.shape = shape
            self.defects = defects
        }
    }

    private let contents: Contents
    private let form: Form

    /// Throws for a shape that nothing can be measured of: a circle outside the limits, more than
    /// 10,000 vertices, or no ring with three different positions.
    public init(_ shape: Shape) throws(ShapeError) {
        try self.init(shape, ShapeValidator.defects(of: shape))
    }

    /// The same of a shape that was found without defects before: looking for them takes most of the
    /// time, up to 0.1 s for 10,000 vertices.
    public init(knownGood shape: Shape) throws(ShapeError) {
        try self.init(shape, [])
    }

    private init(_ shape: Shape, _ found: [ShapeDefect]) throws(ShapeError) {
        var defects = found
        let fatal = defects.filter { Self.fatal.contains($0.code) }
        guard fatal.isEmpty else { throw ShapeError(fatal) }
        switch shape {
        case .circle(let center, let radius):
            form = .circle(CircleForm(center: center, radiusMeters: radius))
        case .polygon(let polygon):
            form = try Self.form([polygon], &defects)
        case .multiPolygon(let polygons):
            form = try Self.form(polygons, &defects)
        }
        contents = Contents(shape: shape, defects: defects)
    }

    private static let fatal: Set<ShapeDefect.Code> = [.radiusOutOfRange, .tooManyVertices]

    private static func form(
        _ polygons: [Polygon], _ defects: inout [ShapeDefect]
    ) throws(ShapeError) -> Form {
        guard let form = PolygonForm(polygons) else {
            throw ShapeError(defects.isEmpty ? [ShapeDefect(.empty)] : defects)
        }
        if form.circle.radiusMeters * 2 > ShapeLimits.extentMeters {
            defects.append(ShapeDefect(.tooLarge))
        }
        return .polygon(form)
    }

    /// As it was drawn.
    public var shape: Shape { contents.shape }

    /// What the server refuses; the agent measures all the same, even-odd.
    public var defects: [ShapeDefect] { contents.defects }

    /// Whether answers may differ from what was meant: `geometryDegraded` in the status.
    public var isDegraded: Bool { !contents.defects.isEmpty }

    /// Metres from the boundary, positive inside; 0 on it, which counts as inside.
    public func signedDistance(to coordinate: Coordinate) -> Double {
        signedDistance(to: SurfacePoint(coordinate))
    }

    /// The same for a point that is measured against many shapes.
    public func signedDistance(to point: SurfacePoint) -> Double {
        switch form {
        case .circle(let circle): circle.signedDistance(to: point)
        case .polygon(let polygon): polygon.signedDistance(to: point)
        }
    }

    /// Metres from the shape to the nearest point of the way between two places; 0 where the way
    /// touches it.
    public func edgeDistance(from start: SurfacePoint, to end: SurfacePoint) -> Double {
        switch form {
        case .circle(let circle): max(0, -circle.signedDistance(toWayFrom: start, to: end))
        case .polygon(let polygon): polygon.edgeDistance(toWayFrom: start, to: end)
        }
    }

    /// The parts of the way between two places that lie inside.
    public func crossings(from start: Coordinate, to end: Coordinate) -> WayCrossings {
        WayCrossings(
            parts: insides(from: start, to: end).parts,
            lengthMeters: SurfacePoint(start).distance(to: SurfacePoint(end)))
    }

    /// The shares of the way between two places that lie inside, and at how many places that was
    /// asked.
    func insides(
        from start: Coordinate, to end: Coordinate
    ) -> (parts: [ClosedRange<Double>], places: Int) {
        switch form {
        case .circle(let circle):
            (
                circle.inside(from: SurfacePoint(start), to: SurfacePoint(end)).map { [$0] } ?? [],
                1
            )
        case .polygon(let polygon): polygon.insides(from: start, to: end)
        }
    }

    /// Into which the edges are cut for measuring; 0 of a circle.
    var pieceCount: Int {
        switch form {
        case .circle: 0
        case .polygon(let polygon): polygon.pieceCount
        }
    }

    /// On the ellipsoid, without holes, 0 or more.
    public var areaSquareMeters: Double {
        switch form {
        case .circle(let circle): circle.area
        case .polygon(let polygon): polygon.area
        }
    }

    /// The smallest circle that holds the shape.
    public var enclosingCircle: EnclosingCircle {
        switch form {
        case .circle(let circle):
            EnclosingCircle(center: circle.frame.anchor, radiusMeters: circle.radius)
        case .polygon(let polygon): polygon.circle
        }
    }

    /// For an index of many shapes.
    public var ground: Ground {
        switch form {
        case .circle(let circle):
            Ground(
                center: circle.frame.anchor, reachMeters: circle.radius, isOutline: false)
        case .polygon(let polygon): polygon.ground
        }
    }

    public var boundingBox: BoundingBox {
        switch form {
        case .circle(let circle):
            BoundingBox(center: circle.frame.anchor, radiusMeters: circle.radius)
        case .polygon(let polygon): polygon.box
        }
    }
}

extension PreparedShape: Hashable {
    public static func == (left: PreparedShape, right: PreparedShape) -> Bool {
        left.contents === right.contents || left.shape == right.shape
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(shape)
    }
}
