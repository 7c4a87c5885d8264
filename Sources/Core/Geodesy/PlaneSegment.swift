/// A straight piece of an outline in a local plane, metres.
struct PlaneSegment: Sendable {
    var east, north: Double
    /// From the start to the end.
    var alongEast, alongNorth: Double
    private let inverseLengthSquared: Double

    init(from: PlanePoint, to: PlanePoint) {
        east = from.east
        north = from.north
        alongEast = to.east - from.east
        alongNorth = to.north - from.north
        inverseLengthSquared = 1 / (alongEast * alongEast + alongNorth * alongNorth)
    }

    /// Square metres.
    @inline(__always)
    func distanceSquared(to point: PlanePoint) -> Double {
        let dx = point.east - east
        let dy = point.north - north
        let share = (dx * alongEast + dy * alongNorth) * inverseLengthSquared
        let nearest = max(0, min(1, share))
        let ex = dx - nearest * alongEast
        let ey = dy - nearest * alongNorth
        return ex * ex + ey * ey
    }

    /// Square metres; 0 where the two cross.
    func distanceSquared(to other: PlaneSegment) -> Double {
        if crosses(other) { return 0 }
        let starts = min(distanceSquared(to: other.start), other.distanceSquared(to: start))
        let ends = min(distanceSquared(to: other.end), other.distanceSquared(to: end))
        return min(starts, ends)
    }

    var start: PlanePoint { PlanePoint(east: east, north: north) }
    var end: PlanePoint { PlanePoint(east: east + alongEast, north: north + alongNorth) }

    private func crosses(_ other: PlaneSegment) -> Bool {
        side(of: other.start) * side(of: other.end) < 0
            && other.side(of: start) * other.side(of: end) < 0
    }

    private func side(of point: PlanePoint) -> Double {
        alongEast * (point.north - north) - alongNorth * (point.east - east)
    }
}

/// An upright rectangle in a local plane, metres.
struct PlaneBox: Sendable {
    var west = Double.infinity
    var east = -Double.infinity
    var south = Double.infinity
    var north = -Double.infinity

    mutating func extend(to point: PlanePoint) {
        west = min(west, point.east)
        east = max(east, point.east)
        south = min(south, point.north)
        north = max(north, point.north)
    }

    /// Square metres; 0 inside.
    @inline(__always)
    func distanceSquared(to point: PlanePoint) -> Double {
        let dx = max(0, max(west - point.east, point.east - east))
        let dy = max(0, max(south - point.north, point.north - north))
        return dx * dx + dy * dy
    }

    /// Square metres; a lower bound of the distance to a segment.
    func distanceSquared(to segment: PlaneSegment) -> Double {
        let end = segment.end
        let dx = max(0, max(west - max(segment.east, end.east), min(segment.east, end.east) - east))
        let dy = max(
            0, max(south - max(segment.north, end.north), min(segment.north, end.north) - north))
        return dx * dx + dy * dy
    }
}
