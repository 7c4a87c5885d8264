import Geofencing
import Snapshots
import Timekeeping
import WireFormat

/// What the pipeline needs to go on after a restart; one small JSON document.
public struct PipelineState: Hashable, Sendable, Codable {
    /// The boot that its uptimes belong to.
    public var bootID: String
    public var tracker: FenceTracker.State
    /// Nil where the whole fence set is known.
    public var coverage: CoverageState?
    /// Nil where nobody watches whether the device is moved.
    public var home: HomeWatch.State?
    /// Names the snapshot that has all of this and more; nil: there is none.
    public var token: String?
    /// That snapshot, in a recording: with it nothing else of this counts.
    public var snapshot: SnapshotBytes?

    public init(
        bootID: BootID, tracker: FenceTracker.State, coverage: CoverageState? = nil,
        home: HomeWatch.State? = nil
    ) {
        self.bootID = bootID.text
        self.tracker = tracker
        self.coverage = coverage
        self.home = home
    }

    enum CodingKeys: String, CodingKey {
        case tracker, coverage, home, token, snapshot
        case bootID = "boot_id"
    }
}

/// What a `PipelineSnapshot` wrote; base64 in JSON.
public struct SnapshotBytes: Hashable, Sendable, Codable {
    public var bytes: [UInt8]

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Base64.bytes(of: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not base64")
        }
        self.bytes = bytes
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Base64.text(of: bytes))
    }

    /// Throws for what is no snapshot of this version.
    public func read() throws(SnapshotError) -> PipelineSnapshot {
        try PipelineSnapshot(bytes: bytes)
    }
}
