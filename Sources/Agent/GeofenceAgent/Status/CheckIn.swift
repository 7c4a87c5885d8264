import Delivery
import Geofencing
import Positioning
import Timekeeping
import WireFormat

/// What the kiosk shows as one word, why, and since when.
public struct CheckIn: Codable, Hashable, Sendable {
    public var state: State
    /// The fence of `ARRIVED` and `CHECKED_IN`.
    public var fenceID: String?
    public var fenceName: String?
    /// When the state began; nil while that is not known.
    public var since: WireTime?
    /// Of `ERROR`: stable, for programs.
    public var code: String?
    /// Of `ERROR`: what is wrong.
    public var reason: String?
    /// Of `ERROR`: what a person can do.
    public var nextAction: String?

    public enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// Starting: no fences yet, or no fix.
        case idle = "IDLE"
        case monitoring = "MONITORING"
        /// Inside, not yet long enough.
        case arrived = "ARRIVED"
        case checkedIn = "CHECKED_IN"
        case error = "ERROR"
    }

    enum CodingKeys: String, CodingKey {
        case state, since, code, reason
        case fenceID = "fence_id"
        case fenceName = "fence_name"
        case nextAction = "next_action"
    }

    public init(_ state: State, since: UTCTime? = nil) {
        self.state = state
        self.since = since.map(WireTime.init)
    }

    /// The state inside a fence.
    public init(_ arrival: Arrival) {
        self.init(
            arrival.dwelled == nil ? .arrived : .checkedIn,
            since: (arrival.dwelled ?? arrival.entered).utc)
        fenceID = arrival.fenceID
        fenceName = arrival.name
    }

    static let storageReadOnlyCode = "storage_read_only"
    static let diskFullCode = "disk_full"

    /// An error with its remedy.
    public init(code: String, reason: String, nextAction: String) {
        self.init(.error)
        self.code = code
        self.reason = reason
        self.nextAction = nextAction
    }

    /// Whether a person sees the same, whatever the moment of it.
    func shows(_ other: CheckIn) -> Bool {
        state == other.state && fenceID == other.fenceID && code == other.code
    }
}
