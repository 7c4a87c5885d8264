/// A point on the WGS84 ellipsoid; one that is not on Earth cannot be built.
public struct Coordinate: Hashable, Sendable {
    /// Degrees north, -90 ... 90.
    public let latitude: Double
    /// Degrees east, -180 ... 180.
    public let longitude: Double

    /// Nil for NaN, infinity, |latitude| > 90 or |longitude| > 180.
    public init?(latitude: Double, longitude: Double) {
        guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }
}
