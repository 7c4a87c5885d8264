import Geofencing

/// Where the known fences came from.
struct FenceSourceState: Sendable {
    var origin = Origin.none
    /// What the server said with the fences; nil: nothing yet, or no server.
    var configuration: RemoteConfiguration?
    var entityTag: String?
    /// Why the last question failed; nil after a success.
    var failure: FenceFetchFailure?

    enum Origin: String, Sendable {
        case server, cache, file, none
    }
}
