import Geodesy

/// An accepted good fix, as the coverage guard sees it.
public struct CoverageFix: Hashable, Sendable {
    public var position: Coordinate
    /// 68 % radius, metres.
    public var accuracyMeters: Double
    /// Metres per second; nil: unknown.
    public var speed: Double?

    public init(position: Coordinate, accuracyMeters: Double, speed: Double?) {
        self.position = position
        self.accuracyMeters = accuracyMeters
        self.speed = speed
    }
}

/// What the coverage guard wants done.
public struct CoverageStep: Hashable, Sendable {
    /// Nil: nothing to fetch now.
    public var request: SyncRequest?
    /// At most one.
    public var signals: [CoverageSignal]

    public init(request: SyncRequest? = nil, signals: [CoverageSignal] = []) {
        self.request = request
        self.signals = signals
    }
}

/// A sync to be made, once; its end is told by `syncSucceeded` or `syncFailed`.
public struct SyncRequest: Hashable, Sendable {
    public var reason: Reason
    public var position: Coordinate
    /// 68 % radius, metres.
    public var accuracyMeters: Double
    /// Fences the answer may hold.
    public var pool: Int

    public init(reason: Reason, position: Coordinate, accuracyMeters: Double, pool: Int) {
        self.reason = reason
        self.position = position
        self.accuracyMeters = accuracyMeters
        self.pool = pool
    }

    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// None has succeeded since the program started.
        case start
        /// The server said that something changed.
        case push
        /// Too far from the last anchor.
        case distance
        /// Fences lie so densely that more of them are needed.
        case pool
        case age
    }
}

/// Whether every fence that may hold the device is known. Raw values are event types of the wire.
public enum CoverageSignal: String, Hashable, Sendable {
    case lost = "coverage_lost"
    case restored = "coverage_restored"
}

/// The coverage as `status` shows it.
public enum CoverageStatus: String, Hashable, Sendable, CaseIterable {
    /// No sync ever succeeded.
    case none
    /// Every fence there is is known.
    case complete
    case covered
    /// Covered, with a sync every 50 m.
    case dense
    case lost
}
