/// A circle, laid out for measuring.
final class CircleForm: Sendable {
    let radius: Double
    let frame: LocalFrame

    init(center: Coordinate, radiusMeters: Double) {
        radius = radiusMeters
        frame = LocalFrame(anchor: center)
    }

    @inline(__always)
    func signedDistance(to point: SurfacePoint) -> Double {
        radius - frame.origin.distance(to: point)
    }

    func signedDistance(toWayFrom start: SurfacePoint, to end: SurfacePoint) -> Double {
        let from = frame.project(start)
        let to = frame.project(end)
        let anchor = PlanePoint(east: 0, north: 0)
        guard from != to else { return radius - from.distance(to: anchor) }
        let way = PlaneSegment(from: from, to: to)
        return radius - way.distanceSquared(to: anchor).squareRoot()
    }

    /// The share of the way between two places that lies in the circle; nil: none of it.
    func inside(from start: SurfacePoint, to end: SurfacePoint) -> ClosedRange<Double>? {
        let from = frame.project(start)
        let to = frame.project(end)
        let dx = to.east - from.east
        let dy = to.north - from.north
        let a = dx * dx + dy * dy
        let b = from.east * dx + from.north * dy
        let c = from.east * from.east + from.north * from.north - radius * radius
        guard a > 0 else { return c <= 0 ? 0...1 : nil }
        let discriminant = b * b - a * c
        guard discriminant >= 0 else { return nil }
        let root = discriminant.squareRoot()
        let entry = max(0, (-b - root) / a)
        let exit = min(1, (-b + root) / a)
        return entry <= exit ? entry...exit : nil
    }

    var area: Double { .pi * radius * radius }
}
