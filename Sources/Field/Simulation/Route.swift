import Geodesy

/// A way to drive: positions, a speed to keep, stops and tunnels on it.
public struct Route: Hashable, Sendable {
    /// Two or more; between two of them the way is straight in longitude and latitude.
    public let positions: [Coordinate]
    /// What is driven wherever bends, stops and the ends do not ask for less.
    public let speedMetersPerSecond: Double
    /// In the order of their vertices, one for each.
    public let stops: [Stop]
    /// Stretches without sky.
    public let tunnels: [Tunnel]

    /// A halt at a vertex.
    public struct Stop: Hashable, Sendable {
        /// Index of the position, 0 for the first.
        public let vertex: Int
        public let seconds: Double

        public init(vertex: Int, seconds: Double) {
            self.vertex = vertex
            self.seconds = seconds
        }
    }

    /// A covered stretch from one vertex to a later one.
    public struct Tunnel: Hashable, Sendable {
        public let entrance: Int
        public let exit: Int

        public init(entrance: Int, exit: Int) {
            self.entrance = entrance
            self.exit = exit
        }
    }

    public enum Limits {
        public static let positions = 2...100_000
        public static let speedMetersPerSecond = 0.1...100.0
        /// A stop of a week is the longest.
        public static let stopSeconds = 0.0...604_800.0
        /// The plane in which bends are driven is no good beyond.
        public static let latitude = -85.0...85.0
    }

    /// Throws with the place of what cannot be driven.
    public init(
        positions: [Coordinate], speedMetersPerSecond: Double = 15, stops: [Stop] = [],
        tunnels: [Tunnel] = []
    ) throws(RouteError) {
        guard Limits.positions.contains(positions.count) else {
            throw RouteError(
                "geometry.coordinates", "\(positions.count) positions; 2 to 100,000 make a route")
        }
        for (index, position) in positions.enumerated()
        where !Limits.latitude.contains(position.latitude) {
            throw RouteError(
                "geometry.coordinates[\(index)]",
                "latitude \(position.latitude) is beyond 85 degrees")
        }
        guard Set(positions).count > 1 else {
            throw RouteError("geometry.coordinates", "all positions are the same")
        }
        guard Limits.speedMetersPerSecond.contains(speedMetersPerSecond) else {
            throw RouteError(
                "properties.speed_mps", "\(speedMetersPerSecond) is not between 0.1 and 100 m/s")
        }
        try Self.check(stops, count: positions.count)
        try Self.check(tunnels, count: positions.count)
        self.positions = positions
        self.speedMetersPerSecond = speedMetersPerSecond
        self.stops = stops.sorted { $0.vertex < $1.vertex }
        self.tunnels = tunnels
    }

    private static func check(_ stops: [Stop], count: Int) throws(RouteError) {
        var seen: Set<Int> = []
        for (index, stop) in stops.enumerated() {
            let place = "properties.stops[\(index)]"
            guard stop.vertex >= 0, stop.vertex < count else {
                throw RouteError(
                    place, "vertex \(stop.vertex) is not one of the \(count) positions, 0 first")
            }
            guard Limits.stopSeconds.contains(stop.seconds) else {
                throw RouteError(place, "\(stop.seconds) is not between 0 and 604,800 s")
            }
            guard seen.insert(stop.vertex).inserted else {
                throw RouteError(place, "vertex \(stop.vertex) has a stop already")
            }
        }
    }

    private static func check(_ tunnels: [Tunnel], count: Int) throws(RouteError) {
        for (index, tunnel) in tunnels.enumerated()
        where tunnel.entrance < 0 || tunnel.exit >= count || tunnel.exit <= tunnel.entrance {
            throw RouteError(
                "properties.tunnels[\(index)]",
                "\(tunnel.entrance) to \(tunnel.exit) is no stretch of the \(count) positions")
        }
    }
}

/// A route that cannot be driven: the place in its document, and what is wrong there.
public struct RouteError: Error, Hashable, Sendable, CustomStringConvertible {
    public let place: String
    public let detail: String

    public init(_ place: String, _ detail: String) {
        self.place = place
        self.detail = detail
    }

    public var description: String { place.isEmpty ? detail : "\(place): \(detail)" }
}
