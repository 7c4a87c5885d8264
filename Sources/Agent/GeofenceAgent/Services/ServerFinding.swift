import Delivery
import Geofencing
import Timekeeping

/// How the server was found last, by whoever asked it last: the uploader or the fence source.
///
/// A device that never had an event still knows that its key is wrong, for it asked for fences.
struct ServerFinding: Hashable, Sendable {
    /// The name of a `ConnectivityState`, or `unknown` before the first answer.
    var state: String
    /// Nil: all is well, or nothing is known.
    var reason: String?

    init(upload: UploadStatus?, fences: FenceSourceState) {
        let uploadTime = upload?.checkedAt
        if let fenceTime = fences.checkedAt, uploadTime.map({ $0 <= fenceTime }) ?? true {
            state = fences.failure.map(Self.state) ?? ConnectivityState.online.rawValue
            reason = fences.failure?.message
        } else {
            state = upload?.connectivity?.rawValue ?? Self.unknown
            reason = upload?.reason
        }
    }

    private static func state(_ failure: FenceFetchFailure) -> String {
        if let known = failure.connectivity { return known }
        return switch failure.kind {
        case .authentication: ConnectivityState.authenticationFailed.rawValue
        case .configuration: ConnectivityState.endpointMismatch.rawValue
        case .server, .tooLarge: ConnectivityState.serverBusy.rawValue
        case .local: ConnectivityState.connectFailed.rawValue
        }
    }

    static let unknown = "unknown"
}
