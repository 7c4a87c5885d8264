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
        let container = try Self.container(decoder)
        let latitude = try Self.degrees(.latitude, upTo: 90, in: container)
        let longitude = try Self.degrees(.longitude, upTo: 180, in: container)
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

    private static func container(
        _ decoder: any Decoder
    ) throws -> KeyedDecodingContainer<CodingKeys> {
        do {
            return try decoder.container(keyedBy: CodingKeys.self)
        } catch DecodingError.typeMismatch(let type, let context) {
            throw DecodingError.typeMismatch(
                type,
                .init(
                    codingPath: context.codingPath,
                    debugDescription: "expected a group of the keys lat, lon, accuracy_m"))
        }
    }

    /// The value itself is not said: these errors go to the journal, which holds no coordinate.
    private static func degrees(
        _ key: CodingKeys, upTo limit: Double, in container: KeyedDecodingContainer<CodingKeys>
    ) throws -> Double {
        let value: Double?
        do {
            value = try container.decode(Double.self, forKey: key)
        } catch DecodingError.typeMismatch {
            value = nil
        }
        guard let value, abs(value) <= limit else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container,
                debugDescription: "expected degrees, allowed \(-limit)...\(limit)")
        }
        return value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(coordinate.latitude, forKey: .latitude)
        try container.encode(coordinate.longitude, forKey: .longitude)
        try container.encode(accuracyMeters, forKey: .accuracyMeters)
    }
}
