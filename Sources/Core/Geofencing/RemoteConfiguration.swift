/// The server's say in how the agent works; nil: the server does not speak, the local value holds.
public struct RemoteConfiguration: Hashable, Sendable {
    public var revision: Int?
    /// 0 ... 18; 0 is the kill switch.
    public var fenceLimit: Int?
    public var refreshAfterMeters: Double?
    public var refreshAfterSeconds: Double?
    public var cooldownHours: Double?
    /// 1 ... 500
    public var uploadMaxBatch: Int?
    public var uploadIntervalSeconds: Double?
    /// 60 ... 900
    public var uploadBackoffCapSeconds: Double?
    public var arriveMaxMeters: Double?
    public var departMaxMeters: Double?
    public var dwellGapMaxSeconds: Double?
    public var visitGapMaxSeconds: Double?
    public var passAs: Fence.PassPolicy?

    public init() {}
}
