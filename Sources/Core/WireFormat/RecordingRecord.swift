import Geofencing
import Positioning
import Timekeeping

/// One line of a recording (docs: the recording format).
public struct RecordingRecord: Sendable {
    /// Milliseconds of uptime since the start of the recording; never decreases.
    public var milliseconds: Int64
    /// UTC where known.
    public var utc: UTCTime?
    public var content: Content

    public init(milliseconds: Int64, utc: UTCTime? = nil, _ content: Content) {
        self.milliseconds = milliseconds
        self.utc = utc
        self.content = content
    }

    public enum Content: Sendable {
        case header(RecordingHeader)
        /// The whole current fence set.
        case fences([WireFence])
        /// Received bytes; the decoder itself is under replay.
        case raw([UInt8])
        /// A decoded fix, its uptime being that of the record.
        case fix(Fix)
        case hint(stationary: Bool)
        /// The process was restarted: state is reloaded from what had been persisted.
        case restart
        /// The operator's ground truth.
        case mark(fence: String?, kind: String?, label: String?)
        case network(link: Bool, server: Bool?)
        case decision(WireDecision)
        case filter(verdict: String)
        /// An input that this version does not know: a replay proves nothing.
        case unknownInput(kind: String)
        /// Anything else that is neither fed nor compared.
        case ignored(kind: String)
    }
}

/// The first line of a recording, repeated where a file was rotated.
public struct RecordingHeader: Hashable, Sendable, Codable {
    public static let schema = "geofence.recording/1"

    public var schema: String
    public var agentVersion: String?
    public var receiver: String?
    public var rules: WireRules?
    /// The earliest date that a receiver may mean, by the agent that recorded.
    public var buildFloor: WireTime?

    public init(
        agentVersion: String? = nil, receiver: String? = nil, rules: WireRules? = nil,
        buildFloor: UTCTime? = nil
    ) {
        schema = Self.schema
        self.agentVersion = agentVersion
        self.receiver = receiver
        self.rules = rules
        self.buildFloor = buildFloor.map(WireTime.init)
    }

    enum CodingKeys: String, CodingKey {
        case schema, receiver, rules
        case agentVersion = "agent_version"
        case buildFloor = "build_floor"
    }
}

/// A recording that cannot be read, with the line.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Counted from 1.
    public var line: Int
    public var detail: String

    public init(line: Int, detail: String) {
        self.line = line
        self.detail = detail
    }

    public var description: String { "line \(line): \(detail)" }
}
