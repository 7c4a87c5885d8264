import Geofencing
import Timekeeping

/// Where the known fences came from.
struct FenceSourceState: Sendable {
    var origin = Origin.none
    /// What the server said with the fences; nil: nothing yet, or no server.
    var configuration: RemoteConfiguration?
    var entityTag: String?
    /// Of the answer that the set came with; nil: none was taken yet.
    var syncID: String?
    /// Why the last question failed; nil after a success.
    var failure: FenceFetchFailure?
    /// When a question was last answered, or failed; nil: none was put yet.
    var checkedAt: Uptime?
    /// What a person should know about the set; nil: nothing.
    var note: String?

    enum Origin: String, Sendable {
        case server, cache, file, none
    }
}
