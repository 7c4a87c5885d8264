import Timekeeping

/// A customer's room: its fences, keys, devices and events, invisible to every other one.
public struct Workspace: Hashable, Sendable {
    public var id: Int64
    public var name: String
    public var plan: Plan
    /// From then on a trial gets no fences and its events wait; nil: never.
    public var trialEndsAt: UTCTime?
    public var limits: WorkspaceLimits
    public var createdAt: UTCTime

    public enum Plan: String, Hashable, Sendable, CaseIterable {
        case trial
        case production
    }

    /// Whether this is a trial that is over.
    public func isExpired(at now: UTCTime) -> Bool { trialEndsAt.map { $0 <= now } ?? false }
}

/// A workspace that does not exist yet.
public struct WorkspaceDraft: Hashable, Sendable {
    public static let trialDays: Int64 = 30

    /// 1 ... 100 characters, unique.
    public var name: String
    public var plan: Workspace.Plan
    public var limits: WorkspaceLimits

    public init(name: String, plan: Workspace.Plan, limits: WorkspaceLimits? = nil) {
        self.name = name
        self.plan = plan
        self.limits = limits ?? .defaults(of: plan)
    }

    func trialEnd(createdAt now: UTCTime) -> UTCTime? { Self.trialEnd(plan, from: now) }

    /// Nil: not a trial.
    static func trialEnd(_ plan: Workspace.Plan, from now: UTCTime) -> UTCTime? {
        plan == .trial
            ? now.advanced(byMilliseconds: Self.trialDays * UTCTime.millisecondsPerDay) : nil
    }
}

/// How much a workspace may have; the platform's administrator can raise it.
public struct WorkspaceLimits: Hashable, Sendable {
    public var fences: Int
    /// Keys of device scope that are not bound to one device.
    public var keys: Int
    /// Nil: unlimited.
    public var devices: Int?
    /// Accepted events in a calendar month of UTC; nil: unlimited.
    public var eventsPerMonth: Int?

    public init(fences: Int, keys: Int, devices: Int?, eventsPerMonth: Int?) {
        self.fences = fences
        self.keys = keys
        self.devices = devices
        self.eventsPerMonth = eventsPerMonth
    }

    public static func defaults(of plan: Workspace.Plan) -> WorkspaceLimits {
        switch plan {
        case .trial: WorkspaceLimits(fences: 100, keys: 2, devices: 1_000, eventsPerMonth: 10_000)
        case .production: WorkspaceLimits(fences: 100, keys: 25, devices: nil, eventsPerMonth: nil)
        }
    }
}
