import Glibc

/// East and north of an anchor in metres.
public struct PlanePoint: Hashable, Sendable {
    public var east: Double
    public var north: Double

    public init(east: Double, north: Double) {
        self.east = east
        self.north = north
    }

    /// Metres.
    public func distance(to other: PlanePoint) -> Double {
        let dx = other.east - east
        let dy = other.north - north
        return (dx * dx + dy * dy).squareRoot()
    }
}

/// A plane that touches the ellipsoid at an anchor and keeps distance and direction from it
/// (azimuthal equidistant), at every latitude, poles and antimeridian included.
///
/// Distances between two points, both within 20 km of the anchor, are good to 2 parts in a million.
public struct LocalFrame: Sendable {
    public let anchor: Coordinate
    let origin: SurfacePoint
    private let eastX, eastY: Double
    private let northX, northY, northZ: Double
    /// 1 / (6 R^2) and 3 / (40 R^4) with the Gaussian radius R: the plane's sine back to the arc.
    private let secondOrder, fourthOrder: Double
    private let meridionalRadius, transverseRadius, cosine: Double

    public init(anchor: Coordinate) {
        self.anchor = anchor
        origin = SurfacePoint(anchor)
        let longitude = anchor.longitude * .radiansPerDegree
        let sine = sin(origin.latitude)
        cosine = cos(origin.latitude)
        eastX = -sin(longitude)
        eastY = cos(longitude)
        northX = -sine * eastY
        northY = sine * eastX
        northZ = cosine
        (meridionalRadius, transverseRadius) = Ellipsoid.radii(sineSquared: sine * sine)
        let radiusSquared = meridionalRadius * transverseRadius
        secondOrder = 1 / (6 * radiusSquared)
        fourthOrder = 3 / (40 * radiusSquared * radiusSquared)
    }

    public func project(_ coordinate: Coordinate) -> PlanePoint {
        project(SurfacePoint(coordinate))
    }

    /// The point's place in the plane; the antipode goes due east.
    @inline(__always)
    public func project(_ point: SurfacePoint) -> PlanePoint {
        let dx = point.x - origin.x
        let dy = point.y - origin.y
        let dz = point.z - origin.z
        let east = eastX * dx + eastY * dy
        let north = northX * dx + northY * dy + northZ * dz
        let squared = east * east + north * north
        let chordSquared = dx * dx + dy * dy + dz * dz
        if chordSquared < SurfaceArc.nearMeters * SurfaceArc.nearMeters {
            let scale = 1 + squared * (secondOrder + squared * fourthOrder)
            return PlanePoint(east: east * scale, north: north * scale)
        }
        return far(east, north, squared, chordSquared, point)
    }

    private func far(
        _ east: Double, _ north: Double, _ squared: Double, _ chordSquared: Double,
        _ point: SurfacePoint
    ) -> PlanePoint {
        let length = SurfaceArc.length(
            chordSquared: chordSquared, origin.space, point.space)
        guard squared > 0 else { return PlanePoint(east: length, north: 0) }
        let scale = length / squared.squareRoot()
        return PlanePoint(east: east * scale, north: north * scale)
    }

    /// The coordinate of a place in the plane, to a micrometre within 100 km; nil for a place
    /// that is not finite or that does not lie on Earth.
    public func coordinate(at point: PlanePoint) -> Coordinate? {
        guard point.east.isFinite, point.north.isFinite else { return nil }
        var aim = point
        var result: Coordinate?
        for _ in 0..<4 {
            guard let guess = firstGuess(aim) else { return result }
            result = guess
            let reached = project(guess)
            aim.east += point.east - reached.east
            aim.north += point.north - reached.north
        }
        return result
    }

    /// The coordinate of a plane point on the sphere that osculates at the anchor.
    private func firstGuess(_ point: PlanePoint) -> Coordinate? {
        let east = point.east / transverseRadius
        let north = point.north / meridionalRadius
        let angle = (east * east + north * north).squareRoot()
        guard angle < .pi else { return nil }
        let shrink = angle > 0 ? sin(angle) / angle : 1
        let sine = sin(origin.latitude)
        let x = cos(angle) * cosine - north * shrink * sine
        let y = east * shrink
        let z = cos(angle) * sine + north * shrink * cosine
        let latitude = atan2(z, (x * x + y * y).squareRoot())
        let longitude = atan2(y, x)
        return Coordinate(
            latitude: latitude / .radiansPerDegree,
            longitude: (anchor.longitude + longitude / .radiansPerDegree).wrappedLongitude)
    }
}

extension Double {
    /// The same meridian within -180 ... 180.
    var wrappedLongitude: Double {
        self >= -180 && self <= 180 ? self : remainder(dividingBy: 360)
    }

    /// This longitude on the line of another: moved by whole turns to within 180 of it.
    @inline(__always)
    func unwrapped(around reference: Double) -> Double {
        let difference = self - reference
        if difference >= -180 && difference <= 180 { return self }
        return self - 360 * (difference / 360).rounded()
    }
}
