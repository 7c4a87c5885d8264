/// How the server was last found; names as in `status`, `doctor` and the metrics.
public enum ConnectivityState: String, Hashable, Sendable, CaseIterable {
    case online
    case noRoute
    case dnsFailed
    case connectFailed
    case tlsFailed
    /// TLS failed and the clock is too wrong to blame the certificate.
    case clockUnsynchronised
    /// Somebody else answered: a portal, a proxy, a cut connection's half answer.
    case captivePortal
    /// 401 or 403.
    case authenticationFailed
    /// 404, 405, 410, 415, 426: wrong URL or version.
    case endpointMismatch
    /// The server was reached and could not serve.
    case serverBusy

    /// Whether the cause lies on this side of the server, so that a change of the network may have
    /// removed it.
    public var isLocal: Bool {
        switch self {
        case .noRoute, .dnsFailed, .connectFailed, .tlsFailed, .clockUnsynchronised,
            .captivePortal:
            true
        case .online, .authenticationFailed, .endpointMismatch, .serverBusy: false
        }
    }
}
