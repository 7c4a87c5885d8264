import Delivery
import WireFormat

/// One line of `geofenced queue positions`, schema `geofenced.position/1`.
public struct BreadcrumbReport: Codable, Sendable, Hashable {
    public static let schemaName = "geofenced.position/1"

    public var schema = Self.schemaName
    /// Nil: not known.
    public var at: WireTime?
    public var bootID: String
    /// Uptime, milliseconds.
    public var uptime: Int64
    public var lat: Double
    public var lon: Double
    public var accuracyMeters: Double
    public var speed: Double?

    enum CodingKeys: String, CodingKey {
        case schema, at, lat, lon
        case bootID = "boot_id"
        case uptime = "mono_ms"
        case accuracyMeters = "accuracy_m"
        case speed = "speed_mps"
    }

    /// A position that was noted without the time gets it from the anchor of its boot.
    public init(_ crumb: Breadcrumb, anchors: [ClockAnchor] = []) {
        let anchor = anchors.first { $0.bootID == crumb.bootID }
        at = (crumb.time ?? anchor?.utc(at: crumb.uptime)).map(WireTime.init)
        bootID = crumb.bootID.text
        uptime = crumb.uptime.milliseconds
        lat = crumb.coordinate.latitude
        lon = crumb.coordinate.longitude
        accuracyMeters = crumb.accuracyMeters
        speed = crumb.speed
    }
}
