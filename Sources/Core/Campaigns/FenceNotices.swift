import Timekeeping

/// What a fence has to tell, and when it may.
public struct FenceNotices: Hashable, Sendable {
    public var fenceID: String
    /// For people.
    public var fenceName: String
    /// Of several notifications at once the one of the greatest priority is shown.
    public var priority: Int
    /// Hours for which a notification of the fence holds back the next one; nil: the rules'.
    public var cooldownHours: Double?
    /// IANA name of the zone of windows, quiet hours and days; nil: UTC.
    public var timezone: String?
    /// Notifications are shown inside one of them only; empty: always.
    public var activeWindows: [WeeklyWindow]
    /// Nil: the rules'.
    public var quietHours: WeeklyWindow?
    /// In their order: the first one that may be shown is.
    public var campaigns: [Campaign]
    /// Whether all of its hours could be read; nothing is shown where they could not.
    public var isReadable: Bool

    public init(
        fenceID: String, fenceName: String? = nil, priority: Int = 0,
        cooldownHours: Double? = nil, timezone: String? = nil,
        activeWindows: [WeeklyWindow] = [], quietHours: WeeklyWindow? = nil,
        campaigns: [Campaign] = [], isReadable: Bool = true
    ) {
        self.fenceID = fenceID
        self.fenceName = fenceName ?? fenceID
        self.priority = priority
        self.cooldownHours = cooldownHours
        self.timezone = timezone
        self.activeWindows = activeWindows
        self.quietHours = quietHours
        self.campaigns = campaigns
        self.isReadable = isReadable
    }
}

/// What holds for all fences.
public struct NotificationRules: Hashable, Sendable {
    public static let defaultCooldownHours = 24.0

    public var cooldownHours: Double
    /// Nil: none.
    public var quietHours: WeeklyWindow?
    /// Seconds after a notification within which only one of a greater priority is shown.
    public var burstSeconds: Double

    public init(
        cooldownHours: Double = defaultCooldownHours, quietHours: WeeklyWindow? = nil,
        burstSeconds: Double = 0
    ) {
        self.cooldownHours = cooldownHours
        self.quietHours = quietHours
        self.burstSeconds = burstSeconds
    }
}

/// Everything there is to tell, with the rules of the zones that it takes.
public struct NotificationBook: Hashable, Sendable {
    public var rules: NotificationRules
    private var fences: [String: FenceNotices] = [:]
    private var zones: [String: TimeZoneRules] = [:]

    /// Without anything to tell.
    public init(rules: NotificationRules = NotificationRules()) {
        self.rules = rules
    }

    /// Fences without a campaign are left out. Of two with the same id the first one counts.
    public init(
        _ fences: [FenceNotices], rules: NotificationRules, zones source: some TimeZoneSource
    ) {
        self.rules = rules
        for fence in fences where !fence.campaigns.isEmpty && self.fences[fence.fenceID] == nil {
            self.fences[fence.fenceID] = fence
            guard let name = fence.timezone, zones[name] == nil else { continue }
            zones[name] = TimeZoneName(name).flatMap(source.rules(of:))
        }
    }

    public subscript(fenceID: String) -> FenceNotices? { fences[fenceID] }

    /// Campaigns of all fences.
    public var campaignCount: Int { fences.values.reduce(0) { $0 + $1.campaigns.count } }

    /// Zones that the tz database does not have, in alphabetical order.
    public var unknownZones: [String] {
        Set(fences.values.compactMap(\.timezone)).filter { zones[$0] == nil }.sorted()
    }

    /// Fences whose hours cannot be read, in alphabetical order.
    public var unreadableFences: [String] {
        fences.values.filter { !$0.isReadable }.map(\.fenceID).sorted()
    }

    /// Nil: the fence's zone is not known.
    func zone(of fence: FenceNotices) -> TimeZoneRules? {
        guard let name = fence.timezone else { return .utc }
        return zones[name]
    }
}
