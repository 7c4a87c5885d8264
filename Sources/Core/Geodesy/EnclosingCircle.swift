/// The smallest circle around a shape.
public struct EnclosingCircle: Hashable, Sendable {
    public var center: Coordinate
    /// Metres.
    public var radiusMeters: Double

    public init(center: Coordinate, radiusMeters: Double) {
        self.center = center
        self.radiusMeters = radiusMeters
    }
}

/// The smallest circle in a plane that holds every point (Welzl's algorithm, 1991,
/// DOI 10.1007/BFb0038202, as three loops; expected linear time).
struct PlaneCircle {
    let center: PlanePoint
    /// Metres; negative: the circle around nothing.
    let radius: Double

    init(around points: [PlanePoint]) {
        self.init(center: PlanePoint(east: 0, north: 0), radius: -1)
        let points = Self.mixed(points)
        for (index, point) in points.enumerated() where !holds(point) {
            self = PlaneCircle(point, point)
            for (second, other) in points[..<index].enumerated() where !holds(other) {
                self = PlaneCircle(point, other)
                for third in points[..<second] where !holds(third) {
                    self = PlaneCircle(point, other, third)
                }
            }
        }
    }

    private init(center: PlanePoint, radius: Double) {
        self.center = center
        self.radius = radius
    }

    private init(_ first: PlanePoint, _ second: PlanePoint) {
        self.init(
            center: PlanePoint(
                east: (first.east + second.east) / 2, north: (first.north + second.north) / 2),
            radius: first.distance(to: second) / 2)
    }

    private init(_ first: PlanePoint, _ second: PlanePoint, _ third: PlanePoint) {
        let bx = second.east - first.east
        let by = second.north - first.north
        let cx = third.east - first.east
        let cy = third.north - first.north
        let twiceArea = 2 * (bx * cy - by * cx)
        guard twiceArea != 0 else {
            let pairs = [(first, second), (first, third), (second, third)]
            let widest = pairs.max { $0.0.distance(to: $0.1) < $1.0.distance(to: $1.1) }
            let (one, other) = widest ?? (first, second)
            self.init(one, other)
            return
        }
        let b = bx * bx + by * by
        let c = cx * cx + cy * cy
        let east = (cy * b - by * c) / twiceArea
        let north = (bx * c - cx * b) / twiceArea
        self.init(
            center: PlanePoint(east: first.east + east, north: first.north + north),
            radius: (east * east + north * north).squareRoot())
    }

    private func holds(_ point: PlanePoint) -> Bool {
        center.distance(to: point) <= radius * (1 + 1e-12) + 1e-9
    }

    /// The linear time is expected for a random order: a fixed shuffle (Fisher and Yates) does.
    private static func mixed(_ points: [PlanePoint]) -> [PlanePoint] {
        var result = points
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        for index in result.indices.dropFirst() {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            result.swapAt(index, Int((state >> 33) % UInt64(index + 1)))
        }
        return result
    }
}
