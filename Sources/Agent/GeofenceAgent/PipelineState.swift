import Geofencing
import Timekeeping

/// What the pipeline needs to go on after a restart; one small JSON document.
public struct PipelineState: Hashable, Sendable, Codable {
    /// The boot that its uptimes belong to.
    public var bootID: String
    public var tracker: FenceTracker.State

    public init(bootID: BootID, tracker: FenceTracker.State) {
        self.bootID = bootID.text
        self.tracker = tracker
    }

    enum CodingKeys: String, CodingKey {
        case tracker
        case bootID = "boot_id"
    }
}
