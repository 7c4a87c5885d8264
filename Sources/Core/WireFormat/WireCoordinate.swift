import Geodesy

/// A named position, `{"lat": ..., "lon": ...}`.
public struct WireCoordinate: Hashable, Sendable, Codable {
    public var lat: Double
    public var lon: Double

    public init(_ coordinate: Coordinate) {
        lat = coordinate.latitude
        lon = coordinate.longitude
    }

    /// Nil when it is not on Earth.
    public var coordinate: Coordinate? { Coordinate(latitude: lat, longitude: lon) }
}
