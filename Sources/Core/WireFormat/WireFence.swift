import Geodesy
import Geofencing
import Timekeeping

/// A fence as it stands on the wire and in recordings.
public struct WireFence: Hashable, Sendable, Codable {
    public var id: WireID
    public var version: Int?
    public var createdAt: WireTime?
    public var name: String?
    public var type: Kind
    public var center: WireCoordinate?
    public var radiusMeters: Double?
    public var geometry: WireGeometry?
    /// Edge distance from the query point, metres, 0 inside; answers of the server only.
    public var distanceMeters: Double?
    public var transitions: [Transition.Kind]?
    public var dwellSeconds: Double?
    public var arrival: Fence.Arrival?
    public var exitAccuracyCapMeters: Double?
    public var initialEnter: Fence.InitialEnter?
    public var passAs: Fence.PassPolicy?
    public var cooldownHours: Double?
    public var timezone: String?
    public var activeWindows: [JSONValue]?
    public var quietHours: JSONValue?
    public var expiresAt: WireTime?
    public var priority: Int?
    public var campaigns: [JSONValue]?
    public var audience: JSONValue?
    public var metadata: [String: JSONValue]?
    public var enabled: Bool?

    public enum Kind: String, Hashable, Sendable, Codable {
        case circle, polygon, multipolygon
    }

    enum CodingKeys: String, CodingKey {
        case id, version, name, type, center, geometry, transitions, arrival, timezone, priority
        case campaigns, audience, metadata, enabled
        case createdAt = "created_at"
        case radiusMeters = "radius_m"
        case distanceMeters = "distance_m"
        case dwellSeconds = "dwell_s"
        case exitAccuracyCapMeters = "exit_accuracy_cap_m"
        case initialEnter = "initial_enter"
        case passAs = "pass_as"
        case cooldownHours = "cooldown_hours"
        case activeWindows = "active_windows"
        case quietHours = "quiet_hours"
        case expiresAt = "expires_at"
    }
}

extension WireFence {
    /// The wire form of a fence; content that the domain does not know stays nil.
    public init(_ fence: Fence) {
        id = WireID(fence.id)
        version = fence.version
        createdAt = fence.createdAt.map(WireTime.init)
        name = fence.name
        switch fence.shape {
        case .circle(let middle, let radius):
            type = .circle
            center = WireCoordinate(middle)
            radiusMeters = radius
        case .polygon: type = .polygon
        case .multiPolygon: type = .multipolygon
        }
        geometry = WireGeometry(fence.shape)
        transitions = Transition.Kind.allCases.filter(fence.transitions.contains)
        dwellSeconds = fence.dwellSeconds
        arrival = fence.arrival
        exitAccuracyCapMeters = fence.exitAccuracyCapMeters
        initialEnter = fence.initialEnter
        passAs = fence.passAs
        expiresAt = fence.expiresAt.map(WireTime.init)
        enabled = fence.isEnabled ? nil : false
    }

    /// The fence itself. Throws with a pointer below `pointer` where the form is incomplete.
    public func fence(at pointer: String = "") throws(WireError) -> Fence {
        Fence(
            id: id.text, version: version ?? 1, createdAt: createdAt?.time,
            name: name ?? id.text, shape: try shape(at: pointer),
            transitions: Set(transitions ?? Transition.Kind.allCases), dwellSeconds: dwellSeconds,
            arrival: arrival ?? .balanced, exitAccuracyCapMeters: exitAccuracyCapMeters,
            initialEnter: initialEnter, passAs: passAs, expiresAt: expiresAt?.time,
            isEnabled: enabled ?? true)
    }

    private func shape(at pointer: String) throws(WireError) -> Shape {
        switch type {
        case .circle:
            guard let center else {
                throw WireError(pointer: pointer + "/center", detail: "missing")
            }
            guard let middle = center.coordinate else {
                throw WireError(
                    pointer: pointer + "/center",
                    detail: "not on Earth",
                    place: WireError.place(longitude: center.lon, latitude: center.lat))
            }
            guard let radiusMeters else {
                throw WireError(pointer: pointer + "/radius_m", detail: "missing")
            }
            return .circle(center: middle, radiusMeters: radiusMeters)
        case .polygon, .multipolygon:
            guard let geometry else {
                throw WireError(pointer: pointer + "/geometry", detail: "missing")
            }
            let polygons = try geometry.polygons(at: pointer + "/geometry")
            guard let first = polygons.first else {
                throw WireError(
                    pointer: pointer + "/geometry/coordinates", detail: "holds no polygon")
            }
            return polygons.count == 1 ? .polygon(first) : .multiPolygon(polygons)
        }
    }
}

extension WireFence {
    /// A form with nothing but what every fence has; the rest is set afterwards.
    public init(id: String, type: Kind) {
        self.id = WireID(id)
        self.type = type
    }
}
