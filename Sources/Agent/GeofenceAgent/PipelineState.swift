import Geofencing
import Timekeeping

/// What the pipeline needs to go on after a restart; one small JSON document.
public struct PipelineState: Hashable, Sendable, Codable {
    /// The boot that its uptimes belong to.
    public var bootID: String
    public var tracker: FenceTracker.State
    /// Nil where the whole fence set is known.
    public var coverage: CoverageState?

    public init(bootID: BootID, tracker: FenceTracker.State, coverage: CoverageState? = nil) {
        self.bootID = bootID.text
        self.tracker = tracker
        self.coverage = coverage
    }

    enum CodingKeys: String, CodingKey {
        case tracker, coverage
        case bootID = "boot_id"
    }
}
