import Geodesy

/// The operating system whose region monitoring is emulated.
public enum RegionProfile: String, Hashable, Sendable, CaseIterable, Codable {
    /// No operating system in between: shapes as drawn.
    case gnss
    case ios
    case android

    /// Regions that can be monitored at once.
    public var regionCap: Int {
        switch self {
        case .gnss, .ios: 20
        case .android: 100
        }
    }

    /// Metres; a smaller circle is monitored at this radius.
    public var minimumRadiusMeters: Double {
        switch self {
        case .gnss: 0
        case .ios, .android: 100
        }
    }

    /// Metres; a larger region is registered at this radius.
    public static let maximumRadiusMeters = 100_000.0

    /// The shape that this profile watches for one that was drawn.
    public func monitoredShape(of shape: Shape) -> Shape {
        guard case .circle(let center, let radius) = shape, radius < minimumRadiusMeters else {
            return shape
        }
        return .circle(center: center, radiusMeters: minimumRadiusMeters)
    }
}
