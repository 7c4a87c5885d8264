import Geofencing
import Timekeeping

/// Something to tell a person when a fence's transition happens.
public struct Campaign: Hashable, Sendable {
    /// 1 ... 128 bytes.
    public var id: String
    /// Counts every edit of the campaign on the server.
    public var version: Int
    public var trigger: Transition.Kind
    public var title: String
    public var body: String
    /// A JSON object for programs, as it is to be handed on; empty: none.
    public var data: [UInt8]
    /// Not shown before it; nil: from the beginning of time.
    public var validFrom: UTCTime?
    /// Not shown from it on; nil: without end.
    public var validUntil: UTCTime?
    /// Hours for which a notification of this campaign at a fence holds back the next one, in
    /// addition to the fence's; nil: the fence's alone.
    public var cooldownHours: Double?
    /// Notifications of this campaign on one day of the fence's zone; nil: no cap.
    public var maxPerDay: Int?

    public init(
        id: String, version: Int = 1, trigger: Transition.Kind, title: String, body: String = "",
        data: [UInt8] = [], validFrom: UTCTime? = nil, validUntil: UTCTime? = nil,
        cooldownHours: Double? = nil, maxPerDay: Int? = nil
    ) {
        self.id = id
        self.version = version
        self.trigger = trigger
        self.title = title
        self.body = body
        self.data = data
        self.validFrom = validFrom
        self.validUntil = validUntil
        self.cooldownHours = cooldownHours
        self.maxPerDay = maxPerDay
    }

    /// Whether its content is restricted to a time, which must then be known.
    public var isTimeLimited: Bool { validFrom != nil || validUntil != nil }
}
