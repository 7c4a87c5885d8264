import Geofencing
import Positioning
import Timekeeping

/// One line of a recording (docs: the recording format).
public struct RecordingRecord: Sendable {
    /// Milliseconds of uptime since the start of the recording; never decreases.
    public var milliseconds: Int64
    /// UTC where known.
    public var utc: UTCTime?
    /// When the source took in what the record holds, on the scale of `milliseconds`, where the
    /// pipeline got it later (`at`); nil: at `milliseconds`.
    public var arrivedMilliseconds: Int64?
    public var content: Content

    public init(
        milliseconds: Int64, utc: UTCTime? = nil, arrivedMilliseconds: Int64? = nil,
        _ content: Content
    ) {
        self.milliseconds = milliseconds
        self.utc = utc
        self.arrivedMilliseconds = arrivedMilliseconds
        self.content = content
    }

    public enum Content: Sendable {
        case header(RecordingHeader)
        /// The whole current fence set.
        case fences(RecordedFences)
        /// Received bytes; the decoder itself is under replay.
        case raw([UInt8])
        /// What happened to the stream of received bytes.
        case source(RecordedSourceEvent)
        /// A decoded fix, its uptime being that of its arrival.
        case fix(Fix)
        case hint(stationary: Bool)
        /// What was due by time alone was done.
        case tick
        /// The process was restarted: state is reloaded from what had been persisted, which is
        /// `state` byte for byte where the recording carries it.
        case restart(state: [UInt8]? = nil)
        /// Records were lost here: whatever follows proves nothing.
        case gap(lost: Int)
        /// The operator's ground truth.
        case mark(fence: String?, kind: String?, label: String?)
        /// Nil: not known.
        case network(link: Bool?, server: Bool?)
        case decision(WireDecision)
        case filter(verdict: String)
        /// What a source said that is not decoded under replay, such as gpsd's JSON.
        case report([UInt8])
        /// An input that this version does not know: a replay proves nothing.
        case unknownInput(kind: String)
        /// Anything else that is neither fed nor compared.
        case ignored(kind: String)
    }
}

/// The payload of a `fences` record.
public struct RecordedFences: Hashable, Sendable, Codable {
    public var fences: [WireFence]
    /// Fences of the list that the server did not name, but that went on because the device is
    /// inside of them and the answer did not cover their ground; nil: none.
    public var kept: [String]?
    /// The server's say that came with the set; nil: there is no server.
    public var config: WireConfig?
    /// The set is not new: it is written again because the file is.
    public var isRepeated: Bool?

    public init(
        _ fences: [WireFence], kept: [String]? = nil, config: WireConfig? = nil,
        isRepeated: Bool = false
    ) {
        self.fences = fences
        self.kept = kept
        self.config = config
        self.isRepeated = isRepeated ? true : nil
    }

    enum CodingKeys: String, CodingKey {
        case fences, kept, config
        case isRepeated = "repeated"
    }
}

/// What happened to a source of `raw` bytes.
public enum RecordedSourceEvent: String, Hashable, Sendable, Codable {
    /// It opened its device: warm-up begins.
    case opened
    /// No bytes came until then, and the decoder closed what was waiting.
    case paused
    /// The stream ended, and the decoder closed what was open.
    case ended
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
