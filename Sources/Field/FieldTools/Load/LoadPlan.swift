import Geodesy

/// What a fleet of simulated agents does.
public struct LoadPlan: Hashable, Sendable {
    public static let deviceRange = 1...100_000
    public static let poolRange = 18...500

    public var devices: Int
    /// Seconds for which they live; what is queued then is still delivered.
    public var durationSeconds: Double
    /// Seconds over which they start.
    public var rampSeconds: Double
    /// Events a second of the whole fleet.
    public var eventsPerSecond: Double
    /// Share of the receipts that are lost on the way, 0 ..< 1: their events are sent again.
    public var lostAnswers: Double
    public var around: Coordinate
    /// How far from there they are at most, metres.
    public var spreadMeters: Double
    /// How many fences a device asks for.
    public var pool: Int
    public var seed: UInt64

    public init(
        devices: Int, durationSeconds: Double, rampSeconds: Double, eventsPerSecond: Double,
        lostAnswers: Double, around: Coordinate, spreadMeters: Double, pool: Int, seed: UInt64
    ) {
        self.devices = devices
        self.durationSeconds = durationSeconds
        self.rampSeconds = rampSeconds
        self.eventsPerSecond = eventsPerSecond
        self.lostAnswers = lostAnswers
        self.around = around
        self.spreadMeters = spreadMeters
        self.pool = pool
        self.seed = seed
    }

    /// Between two events of one device, seconds on average; a stop at a fence has five events in
    /// three steps.
    var stepSeconds: Double {
        Double(devices) * Double(LoadAgent.eventsOfStop) / Double(LoadAgent.stepsOfStop)
            / eventsPerSecond
    }

    /// "load-00042"
    public static func deviceID(_ index: Int) -> String {
        let digits = String(index)
        return "load-" + String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    }
}
