import Campaigns
import Timekeeping

/// What the fences of a document have to tell, read apart from where they are.
///
/// Reading is lenient: fences go on being monitored whatever stands in their campaigns. What cannot
/// be read is told in `problems`, and hours that cannot be read suppress.
public struct NoticeSet: Hashable, Sendable {
    public var fences: [FenceNotices] = []
    /// The configuration's say; nil: the document has none.
    public var cooldownHours: Double?
    public var quietHours: WeeklyWindow?
    /// What cannot be read, one sentence each, at most `problemLimit`.
    public private(set) var problems: [String] = []

    public static let problemLimit = 20

    public init() {}

    /// Of fences in wire form.
    public init(_ fences: [WireFence]) {
        for fence in fences { add(NoticeFence(fence)) }
    }

    /// Of the body of an answer with fences. Throws where it is none.
    public init(answer document: [UInt8]) throws(WireError) {
        let answer = try WireCoding.decode(NoticeAnswer.self, from: document)
        var areHoursReadable = true
        cooldownHours = answer.config?.cooldownHours.map { max(0, $0) }
        do throws(WireError) {
            if let value = answer.config?.quietHours {
                quietHours = try WindowCheck.window(value, at: "/config/quiet_hours")
            }
        } catch {
            areHoursReadable = false
            note("\(error)")
        }
        for fence in answer.fences {
            add(fence)
            guard !areHoursReadable, let last = self.fences.indices.last,
                self.fences[last].fenceID == fence.id.text, self.fences[last].quietHours == nil
            else { continue }
            self.fences[last].isReadable = false
        }
    }

    /// The book of these fences; `local` are those of the device, which give way to these.
    public func book(
        with local: NoticeSet, burstSeconds: Double, zones: some TimeZoneSource
    ) -> NotificationBook {
        NotificationBook(
            fences + local.fences,
            rules: NotificationRules(
                cooldownHours: cooldownHours ?? NotificationRules.defaultCooldownHours,
                quietHours: quietHours, burstSeconds: burstSeconds),
            zones: zones)
    }

    private mutating func add(_ fence: NoticeFence) {
        guard let campaigns = fence.campaigns, !campaigns.isEmpty else { return }
        var notices = FenceNotices(
            fenceID: fence.id.text, fenceName: fence.name, priority: fence.priority ?? 0,
            cooldownHours: fence.cooldownHours.map { max(0, $0) }, timezone: fence.timezone)
        func place(_ pointer: String) -> String { "fence \(fence.id.text) \(pointer)" }
        do throws(WireError) {
            for (index, value) in (fence.activeWindows ?? []).enumerated() {
                let window = try WindowCheck.window(value, at: place("/active_windows/\(index)"))
                if let window { notices.activeWindows.append(window) }
            }
            if let quiet = fence.quietHours {
                notices.quietHours = try WindowCheck.window(quiet, at: place("/quiet_hours"))
            }
        } catch {
            notices.isReadable = false
            note("\(error)")
        }
        for (index, value) in campaigns.prefix(FenceLimits.campaigns).enumerated() {
            do throws(WireError) {
                let campaign = try WireCampaign.read(value, at: place("/campaigns/\(index)"))
                notices.campaigns.append(campaign.campaign)
            } catch {
                note("\(error)")
            }
        }
        fences.append(notices)
    }

    private mutating func note(_ problem: String) {
        if problems.count < Self.problemLimit { problems.append(problem) }
    }
}

/// An answer with fences as far as notifications are concerned.
private struct NoticeAnswer: Decodable {
    var fences: [NoticeFence]
    var config: WireConfig?
}

/// A fence as far as notifications are concerned.
private struct NoticeFence: Decodable {
    var id: WireID
    var name: String?
    var priority: Int?
    var cooldownHours: Double?
    var timezone: String?
    var activeWindows: [JSONValue]?
    var quietHours: JSONValue?
    var campaigns: [JSONValue]?

    enum CodingKeys: String, CodingKey {
        case id, name, priority, timezone, campaigns
        case cooldownHours = "cooldown_hours"
        case activeWindows = "active_windows"
        case quietHours = "quiet_hours"
    }

    init(_ fence: WireFence) {
        id = fence.id
        name = fence.name
        priority = fence.priority
        cooldownHours = fence.cooldownHours
        timezone = fence.timezone
        activeWindows = fence.activeWindows
        quietHours = fence.quietHours
        campaigns = fence.campaigns
    }
}
