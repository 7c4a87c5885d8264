import Geodesy
import Timekeeping

/// A place whose arrivals and departures matter.
public struct Fence: Hashable, Sendable {
    /// 1 ... 128 bytes, unique within a fence set.
    public var id: String
    /// Counts every edit of the fence on the server.
    public var version: Int
    /// When the fence came into being; nil where the source does not say.
    public var createdAt: UTCTime?
    public var name: String
    public var shape: Shape
    /// Which transitions become events; state and visits run whatever this says.
    public var transitions: Set<Transition.Kind>
    /// Seconds inside until `dwell`; nil: this fence has no dwell and no visits.
    public var dwellSeconds: Double?
    public var arrival: Arrival
    /// Bounds the accuracy in the exit rows, metres; nil: unbounded.
    public var exitAccuracyCapMeters: Double?
    /// What a start inside means; nil: the rules' default.
    public var initialEnter: InitialEnter?
    /// How a drive-through is told; nil: the rules' default.
    public var passAs: PassPolicy?
    /// From then on the fence no longer exists; nil: never.
    public var expiresAt: UTCTime?
    public var isEnabled: Bool
    /// Added on the device itself rather than by the server.
    public var isLocal: Bool

    public init(
        id: String, version: Int = 1, createdAt: UTCTime? = nil, name: String, shape: Shape,
        transitions: Set<Transition.Kind> = Set(Transition.Kind.allCases),
        dwellSeconds: Double? = nil, arrival: Arrival = .balanced,
        exitAccuracyCapMeters: Double? = nil, initialEnter: InitialEnter? = nil,
        passAs: PassPolicy? = nil, expiresAt: UTCTime? = nil, isEnabled: Bool = true,
        isLocal: Bool = false
    ) {
        self.id = id
        self.version = version
        self.createdAt = createdAt
        self.name = name
        self.shape = shape
        self.transitions = transitions
        self.dwellSeconds = dwellSeconds
        self.arrival = arrival
        self.exitAccuracyCapMeters = exitAccuracyCapMeters
        self.initialEnter = initialEnter
        self.passAs = passAs
        self.expiresAt = expiresAt
        self.isEnabled = isEnabled
        self.isLocal = isLocal
    }

    /// How much evidence an arrival needs.
    public enum Arrival: String, Hashable, Sendable, Codable {
        /// Any fix inside.
        case eager
        /// The rows of the state table.
        case balanced
        /// Only a fix inside by more than its accuracy.
        case strict
    }

    /// What happens when monitoring starts inside a fence.
    public enum InitialEnter: String, Hashable, Sendable, Codable {
        case eventOnly = "event_only"
        case notify
        case silent
    }

    /// How a drive-through is told.
    public enum PassPolicy: String, Hashable, Sendable, Codable {
        case pass
        case enterExit = "enter_exit"
        case ignore
    }
}
