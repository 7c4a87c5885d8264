import Glibc

/// The WGS84 ellipsoid (NGA.STND.0036, table 3.1) and its radii.
enum Ellipsoid {
    static let semiMajorAxisMeters = 6_378_137.0
    static let flattening = 1 / 298.257_223_563
    /// First eccentricity, squared.
    static let eccentricitySquared = flattening * (2 - flattening)
    /// The sphere of the same volume, (2 a + b) / 3 to within a metre.
    static let meanRadiusMeters = 6_371_008.8

    /// Radii of curvature along the meridian and across it, metres, from sin(latitude) squared.
    static func radii(sineSquared: Double) -> (meridional: Double, transverse: Double) {
        let factor = 1 - eccentricitySquared * sineSquared
        let transverse = semiMajorAxisMeters / factor.squareRoot()
        return (transverse * (1 - eccentricitySquared) / factor, transverse)
    }

    /// Latitude on the sphere of the same area times its radius squared: the area between the
    /// equator and a latitude is this times the difference of longitude in radians.
    /// (Snyder, USGS Professional Paper 1395, equation 3-12, times a squared / 2.)
    static func areaFunction(sine: Double) -> Double {
        let eccentricity = eccentricitySquared.squareRoot()
        let product = eccentricity * sine
        let value =
            (1 - eccentricitySquared)
            * (sine / (1 - product * product) + atanh(product) / eccentricity)
        return semiMajorAxisMeters * semiMajorAxisMeters / 2 * value
    }
}

extension Double {
    static let radiansPerDegree = Double.pi / 180
}
