import Geodesy
import Timekeeping

/// Where the fences near a place come from: a server, or a file in standalone mode.
public protocol FenceSource: Sendable {
    /// Asks for the fences near a place. Blocks; call it off the cooperative pool.
    func fetch(_ query: FenceQuery) -> FenceFetchOutcome
}

/// One question for fences.
public struct FenceQuery: Hashable, Sendable {
    public var position: Coordinate
    /// 68 % radius of `position`, metres; nil: unknown.
    public var accuracyMeters: Double?
    /// How many fences are monitored at once.
    public var limit: Int
    /// How many fences the answer may hold, `limit` ... 500.
    public var pool: Int
    /// Entity tag of the set in the cache; nil: there is none.
    public var entityTag: String?

    public init(
        position: Coordinate, accuracyMeters: Double?, limit: Int, pool: Int, entityTag: String?
    ) {
        self.position = position
        self.accuracyMeters = accuracyMeters
        self.limit = limit
        self.pool = pool
        self.entityTag = entityTag
    }
}

/// How a question for fences ended.
public enum FenceFetchOutcome: Sendable {
    case fresh(FenceAnswer)
    /// 304: keep the set, move the anchor.
    case notModified(FenceCoverage)
    case failed(FenceFetchFailure)
}

/// Why there was no answer, as far as the agent's behaviour depends on it.
public struct FenceFetchFailure: Hashable, Sendable {
    public var kind: Kind
    /// One sentence for `status` and the journal, without coordinates.
    public var message: String
    /// What the server asked to wait, seconds.
    public var retryAfterSeconds: Double?
    /// The name of the connection's state, where the source knows it more precisely than `kind`;
    /// nil: `kind` says all.
    public var connectivity: String?

    /// Whether nobody answered at all, so that a missing route explains it.
    public var isUnanswered = false

    public init(_ kind: Kind, _ message: String, retryAfterSeconds: Double? = nil) {
        self.kind = kind
        self.message = message
        self.retryAfterSeconds = retryAfterSeconds
    }

    public enum Kind: String, Hashable, Sendable {
        /// Never reached a server: route, DNS, connect, TLS, portal.
        case local
        /// The server answered with an error that may pass.
        case server
        /// The answer is more than can be taken: ask for fewer fences.
        case tooLarge
        /// 401 or 403: probe every 15 minutes.
        case authentication
        /// 404, 405, 410, 415, 426: wrong URL or version.
        case configuration
    }
}

/// What an answer says about the ground that it covers.
public struct FenceCoverage: Hashable, Sendable {
    public var syncID: String
    /// The server's wish for the next sync, metres from the anchor; nil: not said.
    public var refreshAfterMeters: Double?
    public var refreshAfterSeconds: Double?
    /// Edge distance from the anchor to the nearest fence that is not in the answer; nil: all are.
    public var coverageRadiusMeters: Double?

    public init(
        syncID: String, refreshAfterMeters: Double?, refreshAfterSeconds: Double?,
        coverageRadiusMeters: Double?
    ) {
        self.syncID = syncID
        self.refreshAfterMeters = refreshAfterMeters
        self.refreshAfterSeconds = refreshAfterSeconds
        self.coverageRadiusMeters = coverageRadiusMeters
    }
}

/// A whole set of fences as a server answered it.
public struct FenceAnswer: Sendable {
    public var coverage: FenceCoverage
    public var fences: [Fence]
    public var configuration: RemoteConfiguration
    public var entityTag: String?
    /// The answer as it came, which is also what the cache keeps.
    public var document: [UInt8]

    public init(
        coverage: FenceCoverage, fences: [Fence], configuration: RemoteConfiguration,
        entityTag: String?, document: [UInt8]
    ) {
        self.coverage = coverage
        self.fences = fences
        self.configuration = configuration
        self.entityTag = entityTag
        self.document = document
    }
}
