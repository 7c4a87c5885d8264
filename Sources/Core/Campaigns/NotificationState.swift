import Geofencing
import Timekeeping

/// What was shown and what the server said of it: what a restart needs. One small JSON document.
///
/// It is written in the transaction of the event that was shown, so that a restart neither repeats
/// a notification nor forgets one.
public struct NotificationState: Hashable, Sendable, Codable {
    /// Claims that are kept; the oldest give way.
    public static let claimLimit = 256
    /// Disagreements that are kept; the oldest give way.
    public static let disagreementLimit = 50
    /// A cap counts days, and what it counts is kept for two of them.
    private static let capHours = 48.0

    /// The boot that the uptimes belong to.
    var bootID: String
    public internal(set) var claims: [NotificationClaim] = []
    /// The last notification, in uptime, and its priority; nil: none in this boot.
    var lastShown: LastShown?
    public internal(set) var disagreements: [VerdictDisagreement] = []

    struct LastShown: Hashable, Sendable, Codable {
        var uptimeMilliseconds: Int64
        var priority: Int

        enum CodingKeys: String, CodingKey {
            case priority
            case uptimeMilliseconds = "mono_ms"
        }
    }

    enum CodingKeys: String, CodingKey {
        case claims, disagreements
        case bootID = "boot_id"
        case lastShown = "last_shown"
    }

    public init(bootID: BootID) {
        self.bootID = bootID.text
    }

    /// The state as a boot finds it: uptimes of another boot mean nothing.
    func resumed(in boot: BootID) -> NotificationState {
        guard bootID != boot.text else { return self }
        var state = self
        state.bootID = boot.text
        state.lastShown = nil
        for index in state.claims.indices { state.claims[index].occurred.uptime = nil }
        return state
    }

    mutating func add(_ claim: NotificationClaim, at now: Moment) {
        claims.removeAll { $0.isSame(as: claim) || Self.isOver($0, at: now) }
        claims.append(claim)
        if claims.count > Self.claimLimit {
            claims.removeFirst(claims.count - Self.claimLimit)
        }
    }

    mutating func add(_ disagreement: VerdictDisagreement) {
        disagreements.removeAll {
            $0.epoch == disagreement.epoch && $0.sequence == disagreement.sequence
        }
        disagreements.append(disagreement)
        if disagreements.count > Self.disagreementLimit {
            disagreements.removeFirst(disagreements.count - Self.disagreementLimit)
        }
    }

    /// How long a claim may still hold something back: as long as the longer cooldown, and for a
    /// campaign with a cap until the cap's day is over. All of them are written with each new one.
    static func hours(of fenceCooldown: Double, _ campaign: Campaign?) -> Double {
        max(
            fenceCooldown, campaign?.cooldownHours ?? 0,
            campaign?.maxPerDay == nil ? 0 : capHours)
    }

    private static func isOver(_ claim: NotificationClaim, at now: Moment) -> Bool {
        Double(claim.age(at: now)) >= claim.hours * 3_600_000
    }
}

/// An event of which server and device think differently.
public struct VerdictDisagreement: Hashable, Sendable, Codable {
    public var epoch: String
    public var sequence: Int64
    public var fenceID: String
    /// shown | suppressed | none
    public var decision: String
    public var reason: String?
    /// A raw value of `NotificationVerdict`.
    public var verdict: String

    public init(
        epoch: String, sequence: Int64, fenceID: String, decision: String, reason: String?,
        verdict: String
    ) {
        self.epoch = epoch
        self.sequence = sequence
        self.fenceID = fenceID
        self.decision = decision
        self.reason = reason
        self.verdict = verdict
    }

    enum CodingKeys: String, CodingKey {
        case decision, reason, verdict
        case epoch = "queue_epoch"
        case sequence = "seq"
        case fenceID = "fence_id"
    }
}
