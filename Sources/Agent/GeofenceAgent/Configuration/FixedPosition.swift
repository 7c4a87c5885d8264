import Geodesy
import Positioning

/// The position of a kiosk without sky, which stands in for a receiver.
public struct FixedPosition: Codable, Sendable {
    public var coordinate: Coordinate
    /// 68 % radius, metres: not beyond what can prove an arrival.
    public var accuracyMeters: Double

    enum CodingKeys: String, CodingKey, CaseIterable {
        case latitude = "lat"
        case longitude = "lon"
        case accuracyMeters = "accuracy_m"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let latitude = try container.decode(Double.self, forKey: .latitude, in: -90...90)
        let longitude = try container.decode(Double.self, forKey: .longitude, in: -180...180)
        accuracyMeters =
            try container.decodeIfPresent(Double.self, forKey: .accuracyMeters, in: 0.01...100)
            ?? 15
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            throw DecodingError.dataCorruptedError(
                forKey: .latitude, in: container, debugDescription: "is not on Earth")
        }
        let nothing = FixFilterRules().nullIslandDegrees
        guard abs(latitude) >= nothing || abs(longitude) >= nothing else {
            throw DecodingError.dataCorruptedError(
                forKey: .latitude, in: container,
                debugDescription: "0 N 0 E is taken for no position: set lat and lon")
        }
        self.coordinate = coordinate
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(coordinate.latitude, forKey: .latitude)
        try container.encode(coordinate.longitude, forKey: .longitude)
        try container.encode(accuracyMeters, forKey: .accuracyMeters)
    }
}
