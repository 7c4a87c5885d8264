import Geodesy

/// A drive along a route: where the vehicle is, how fast and in which direction, at any time.
///
/// It starts and ends at rest, keeps the route's speed where it can, takes bends at no more than
/// 3 m/s2 and speeds up or brakes by no more than 2 m/s2.
public struct RouteDrive: Sendable {
    /// Metres per second squared, sideways, in a bend.
    public static let lateralLimit = 3.0
    /// Metres per second squared, speeding up and braking.
    public static let longitudinalLimit = 2.0

    /// The truth at one moment.
    public struct State: Hashable, Sendable {
        public let position: Coordinate
        /// Metres per second.
        public let speed: Double
        /// Degrees from true north; at rest, that of the way ahead.
        public let courseDegrees: Double
        /// Metres driven.
        public let distance: Double
    }

    /// Seconds from departure until the vehicle stands at the end, the last stop included.
    public let durationSeconds: Double
    /// Metres.
    public let lengthMeters: Double
    /// The metres driven at which each vertex of the route is passed.
    public let vertexDistances: [Double]
    private let path: RoutePath
    private let legs: [Leg]

    /// A stretch of one acceleration, in time order.
    private struct Leg: Sendable {
        let startSeconds: Double
        let startDistance: Double
        let startSpeed: Double
        let acceleration: Double
        let seconds: Double
    }

    public init(_ route: Route) {
        path = RoutePath(route)
        var planner = LegPlanner()
        let speeds = Self.boundarySpeeds(path.pieces, cruise: route.speedMetersPerSecond)
        for (index, piece) in path.pieces.enumerated() {
            if let halt = piece.halt { planner.halt(seconds: halt) }
            planner.drive(
                length: piece.length, from: speeds[index], to: speeds[index + 1],
                cap: Self.cap(piece, cruise: route.speedMetersPerSecond))
        }
        planner.halt(seconds: path.finalHalt)
        legs = planner.legs
        durationSeconds = planner.seconds
        lengthMeters = path.length
        vertexDistances = path.vertexDistances
    }

    /// The truth so many seconds after departure; before it and after the end the vehicle stands.
    public func state(at seconds: Double) -> State {
        let leg = legs[index(at: seconds)]
        let time = min(max(0, seconds - leg.startSeconds), leg.seconds)
        let distance = leg.startDistance + (leg.startSpeed + leg.acceleration * time / 2) * time
        let isUnderWay = seconds >= 0 && seconds < durationSeconds
        let (position, course) = path.place(at: distance)
        return State(
            position: position,
            speed: isUnderWay ? max(0, leg.startSpeed + leg.acceleration * time) : 0,
            courseDegrees: course, distance: min(distance, lengthMeters))
    }

    private func index(at seconds: Double) -> Int {
        var (low, high) = (0, legs.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if legs[middle].startSeconds <= seconds { low = middle } else { high = middle - 1 }
        }
        return low
    }

    private static func cap(_ piece: RoutePath.Piece, cruise: Double) -> Double {
        switch piece.form {
        case .straight: cruise
        case .arc(let radius, _): min(cruise, (lateralLimit * radius).squareRoot())
        }
    }

    /// The speed at the start of each piece and at the end of the last, metres per second: the
    /// greatest from which every limit ahead can still be met, reached from every limit behind.
    private static func boundarySpeeds(_ pieces: [RoutePath.Piece], cruise: Double) -> [Double] {
        var speeds = [Double](repeating: cruise, count: pieces.count + 1)
        speeds[0] = 0
        speeds[pieces.count] = 0
        for (index, piece) in pieces.enumerated() {
            let limit = cap(piece, cruise: cruise)
            speeds[index] = piece.halt == nil ? min(speeds[index], limit) : 0
            speeds[index + 1] = min(speeds[index + 1], limit)
        }
        for (index, piece) in pieces.enumerated() {
            speeds[index + 1] = min(
                speeds[index + 1], reachable(from: speeds[index], over: piece.length))
        }
        for (index, piece) in pieces.enumerated().reversed() {
            speeds[index] = min(
                speeds[index], reachable(from: speeds[index + 1], over: piece.length))
        }
        return speeds
    }

    private static func reachable(from speed: Double, over length: Double) -> Double {
        (speed * speed + 2 * longitudinalLimit * length).squareRoot()
    }

    /// Strings legs together.
    private struct LegPlanner {
        var legs: [Leg] = []
        var seconds = 0.0
        private var distance = 0.0

        init() {}

        mutating func halt(seconds halt: Double) {
            add(speed: 0, acceleration: 0, seconds: halt)
        }

        /// Speed up, keep, brake: the fastest way over a length between two speeds under a cap.
        mutating func drive(length: Double, from start: Double, to end: Double, cap: Double) {
            let rate = RouteDrive.longitudinalLimit
            let peak = min(cap, ((start * start + end * end) / 2 + rate * length).squareRoot())
            let gaining = (peak * peak - start * start) / (2 * rate)
            let losing = (peak * peak - end * end) / (2 * rate)
            let target = distance + length
            add(speed: start, acceleration: rate, seconds: max(0, peak - start) / rate)
            if peak > 0 {
                add(
                    speed: peak, acceleration: 0,
                    seconds: max(0, length - gaining - losing) / peak)
            }
            add(speed: peak, acceleration: -rate, seconds: max(0, peak - end) / rate)
            // What rounding left over does not add up from piece to piece.
            distance = target
        }

        private mutating func add(speed: Double, acceleration: Double, seconds length: Double) {
            guard length > 0 || legs.isEmpty else { return }
            legs.append(
                Leg(
                    startSeconds: seconds, startDistance: distance, startSpeed: speed,
                    acceleration: acceleration, seconds: length))
            seconds += length
            distance += (speed + acceleration * length / 2) * length
        }
    }
}
