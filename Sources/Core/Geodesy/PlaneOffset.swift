import Glibc

/// A way on the plane that touches the ellipsoid at some coordinate: metres east and metres north.
///
/// Good to a millimetre over 100 m and to about 1 cm over 1 km, below 85 degrees of latitude.
public struct PlaneOffset: Hashable, Sendable {
    public var eastMeters: Double
    public var northMeters: Double

    public init(eastMeters: Double, northMeters: Double) {
        self.eastMeters = eastMeters
        self.northMeters = northMeters
    }

    public var lengthMeters: Double {
        (eastMeters * eastMeters + northMeters * northMeters).squareRoot()
    }

    /// Degrees clockwise from true north, 0 ..< 360; 0 for no way at all.
    public var courseDegrees: Double {
        let degrees = atan2(eastMeters, northMeters) * 180 / .pi
        return degrees < 0 ? degrees + 360 : degrees
    }

    /// Radians from this direction to another, -pi ... pi, positive clockwise.
    public func turn(to other: PlaneOffset) -> Double {
        let cross = northMeters * other.eastMeters - eastMeters * other.northMeters
        let dot = northMeters * other.northMeters + eastMeters * other.eastMeters
        return atan2(cross, dot)
    }

    /// This way turned clockwise about its start.
    public func turned(byRadians angle: Double) -> PlaneOffset {
        let (sine, cosine) = (sin(angle), cos(angle))
        return PlaneOffset(
            eastMeters: eastMeters * cosine + northMeters * sine,
            northMeters: northMeters * cosine - eastMeters * sine)
    }

    /// This way, longer or shorter by a factor.
    public func scaled(by factor: Double) -> PlaneOffset {
        PlaneOffset(eastMeters: eastMeters * factor, northMeters: northMeters * factor)
    }

    public static func + (left: PlaneOffset, right: PlaneOffset) -> PlaneOffset {
        PlaneOffset(
            eastMeters: left.eastMeters + right.eastMeters,
            northMeters: left.northMeters + right.northMeters)
    }
}

extension Coordinate {
    /// The way to another coordinate, measured on the plane at the latitude between the two.
    public func offset(to other: Coordinate) -> PlaneOffset {
        let scale = MetersPerDegree(atLatitude: (latitude + other.latitude) / 2)
        var longitudes = other.longitude - longitude
        if longitudes > 180 { longitudes -= 360 }
        if longitudes < -180 { longitudes += 360 }
        return PlaneOffset(
            eastMeters: longitudes * scale.ofLongitude,
            northMeters: (other.latitude - latitude) * scale.ofLatitude)
    }

    /// The coordinate at the end of a way that starts here; the pole stops it.
    public func moved(by offset: PlaneOffset) -> Coordinate {
        let guess = latitude + offset.northMeters / MetersPerDegree(atLatitude: latitude).ofLatitude
        let scale = MetersPerDegree(atLatitude: (latitude + guess) / 2)
        let north = latitude + offset.northMeters / scale.ofLatitude
        var east = longitude + offset.eastMeters / scale.ofLongitude
        if east > 180 { east -= 360 }
        if east < -180 { east += 360 }
        return Coordinate(latitude: min(90, max(-90, north)), longitude: east) ?? self
    }
}

/// Lengths of a degree of latitude and of longitude, metres.
private struct MetersPerDegree {
    let ofLatitude: Double
    let ofLongitude: Double

    init(atLatitude degrees: Double) {
        let latitude = degrees * .radiansPerDegree
        let sine = sin(latitude)
        let (meridional, transverse) = Ellipsoid.radii(sineSquared: sine * sine)
        ofLatitude = meridional * .radiansPerDegree
        ofLongitude = transverse * cos(latitude) * .radiansPerDegree
    }
}
