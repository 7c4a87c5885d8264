import Geodesy
import Positioning
import Snapshots
import Timekeeping

/// Whether a device that has a place was carried away from it: `moved`, once for each move.
///
/// Home is where the first good fix was, and a more accurate fix near it. Three good fixes in a row
/// farther than max(100 m, 3 x accuracy) from home are a move; it is over, and home is the new
/// place, when the good fixes of 300 s stay within that distance of the first of them.
public struct HomeWatch: Hashable, Sendable {
    /// Store it with the tracker's state.
    public private(set) var state: State
    private var awayCount = 0
    private var rest: Rest?

    static let reachMeters = 100.0
    static let reachAccuracies = 3.0
    static let confirmations = 3
    static let restSeconds = 300.0
    /// A fix is more accurate than home's when its radius is at most this share of it, so that home
    /// cannot creep.
    static let betterShare = 0.5

    fileprivate struct Rest: Hashable, Sendable {
        var place: Coordinate
        var since: Uptime
    }

    public init(restoring state: State = State()) {
        self.state = state
    }

    /// Takes in a good fix; true when it shows that the device was moved.
    public mutating func take(
        _ place: Coordinate, accuracyMeters: Double, at now: Uptime
    ) -> Bool {
        let reach = max(Self.reachMeters, Self.reachAccuracies * accuracyMeters)
        guard let home = state.home else {
            state.home = State.Home(place: place, accuracyMeters: accuracyMeters)
            return false
        }
        if state.isAway {
            settle(at: place, accuracyMeters, reach: reach, now)
            return false
        }
        guard home.place.distance(to: place) > reach else {
            awayCount = 0
            if accuracyMeters <= Self.betterShare * home.accuracyMeters {
                state.home = State.Home(place: place, accuracyMeters: accuracyMeters)
            }
            return false
        }
        awayCount += 1
        guard awayCount >= Self.confirmations else { return false }
        awayCount = 0
        state.isAway = true
        rest = Rest(place: place, since: now)
        return true
    }

    private mutating func settle(
        at place: Coordinate, _ accuracyMeters: Double, reach: Double, _ now: Uptime
    ) {
        guard let rest, rest.place.distance(to: place) <= reach else {
            rest = Rest(place: place, since: now)
            return
        }
        guard now.seconds(since: rest.since) >= Self.restSeconds else { return }
        state = State()
        state.home = State.Home(place: place, accuracyMeters: accuracyMeters)
        self.rest = nil
    }
}

extension HomeWatch {
    /// What is kept over a restart: a device may be moved while it has no power.
    public struct State: Hashable, Sendable {
        /// Nil before the first good fix.
        public var home: Home?
        /// Between `moved` and the rest at another place.
        public var isAway = false

        public init() {}

        public struct Home: Hashable, Sendable {
            public var place: Coordinate
            /// 68 % radius of the fix that home was taken from.
            public var accuracyMeters: Double

            public init(place: Coordinate, accuracyMeters: Double) {
                self.place = place
                self.accuracyMeters = accuracyMeters
            }
        }
    }
}

extension HomeWatch.State: Codable {
    private enum CodingKeys: String, CodingKey {
        case latitude = "lat"
        case longitude = "lon"
        case accuracyMeters = "accuracy_m"
        case isAway = "away"
    }

    /// A place that is not on Earth is none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        isAway = try container.decodeIfPresent(Bool.self, forKey: .isAway) ?? false
        guard let latitude = try container.decodeIfPresent(Double.self, forKey: .latitude),
            let longitude = try container.decodeIfPresent(Double.self, forKey: .longitude),
            let place = Coordinate(latitude: latitude, longitude: longitude)
        else { return }
        home = Home(
            place: place,
            accuracyMeters: try container.decode(Double.self, forKey: .accuracyMeters))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(isAway, forKey: .isAway)
        try container.encodeIfPresent(home?.place.latitude, forKey: .latitude)
        try container.encodeIfPresent(home?.place.longitude, forKey: .longitude)
        try container.encodeIfPresent(home?.accuracyMeters, forKey: .accuracyMeters)
    }
}

extension HomeWatch: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(state.home)
        snapshot.write(state.isAway)
        snapshot.write(awayCount)
        snapshot.write(rest)
    }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init()
        state.home = try snapshot.read()
        state.isAway = try snapshot.read()
        awayCount = try snapshot.readTally()
        rest = try snapshot.read()
    }
}

extension HomeWatch.State.Home: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(place)
        snapshot.write(accuracyMeters)
    }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init(place: try snapshot.read(), accuracyMeters: try snapshot.read())
    }
}

extension HomeWatch.Rest: Snapshotted {
    func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(place)
        snapshot.write(since)
    }

    init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init(place: try snapshot.read(), since: try snapshot.read())
    }
}
