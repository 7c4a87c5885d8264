import Geofencing

/// What is said to somebody at a fence, and when, as it stands in a fence's `campaigns[]`.
public struct WireCampaign: Hashable, Sendable, Codable {
    public var id: WireID
    /// Counts every change; nil in what an administrator writes.
    public var version: Int?
    public var trigger: Transition.Kind
    public var title: String
    public var body: String?
    /// For the program that shows it; carried, not looked into.
    public var data: [String: JSONValue]?
    /// From this moment on; nil: from ever.
    public var validFrom: WireTime?
    /// Until before this moment; nil: for ever.
    public var validUntil: WireTime?
    /// Hours; nil: those of the fence, else of the configuration.
    public var cooldownHours: Double?
    /// How often a day of the fence's zone; nil: as often as it is due.
    public var maxPerDay: Int?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case id, version, trigger, title, body, data
        case validFrom = "valid_from"
        case validUntil = "valid_until"
        case cooldownHours = "cooldown_hours"
        case maxPerDay = "max_per_day"
    }

    /// The names of all its members.
    public static let names = Set(CodingKeys.allCases.map(\.rawValue))

    public init(id: String, trigger: Transition.Kind, title: String) {
        self.id = WireID(id)
        self.trigger = trigger
        self.title = title
    }
}
