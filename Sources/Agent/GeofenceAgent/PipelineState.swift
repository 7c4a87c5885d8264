import Geofencing
import Timekeeping

/// What the pipeline needs to go on after a restart; one small JSON document.
public struct PipelineState: Hashable, Sendable, Codable {
    /// The boot that its uptimes belong to.
    public var bootID: String
    public var tracker: FenceTracker.State
    /// Nil where the whole fence set is known.
    public var coverage: CoverageState?
    /// Nil where nobody watches whether the device is moved.
    public var home: HomeWatch.State?

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
        case tracker, coverage, home
        case bootID = "boot_id"
    }
}
