import WireFormat

/// What a recording of this run needs.
public struct RecordingPlan: Sendable {
    public var sink: any RecordingSink
    /// Bytes after which the next file begins.
    public var partBytes: Int
    /// Seconds of uptime after which it begins, however little the file holds.
    public var partSeconds: Int64
    /// What the configuration says about rules, which the header repeats.
    public var rules: WireRules
    /// `vehicle` or `kiosk`.
    public var profile: String
    /// The whole configuration, without secrets.
    public var configuration: JSONValue?
    /// The source of positions in a word.
    public var receiver: String

    public init(
        sink: any RecordingSink, partBytes: Int, partSeconds: Int64, rules: WireRules,
        profile: String,
        configuration: JSONValue?, receiver: String
    ) {
        self.sink = sink
        self.partBytes = partBytes
        self.partSeconds = partSeconds
        self.rules = rules
        self.profile = profile
        self.configuration = configuration
        self.receiver = receiver
    }
}
