/// How far off a simulated receiver is, and how well it knows.
public struct ReceiverNoise: Hashable, Sendable {
    /// Standard deviation of the position error per axis, metres.
    public var sigmaMeters: Double
    /// Time constant of the position error, seconds.
    public var tauSeconds = 45.0
    /// Share of the variance that drifts with `slowTauSeconds` instead, 0 ... 1.
    public var slowShare = 0.0
    /// 20 to 60 minutes are seen in parked receivers.
    public var slowTauSeconds = 2400.0
    /// Multipath: how often the position jumps off, on average.
    public var jumpsPerHour = 0.0
    /// How far a jump goes, metres.
    public var jumpMeters = 10.0..<60.0
    /// How long it lasts, seconds.
    public var jumpSeconds = 3.0..<15.0
    /// Claimed over true accuracy; 0.5 is a receiver that flatters itself.
    public var claimFactor = 1.0
    /// Standard deviation of the velocity error per axis, metres per second.
    public var speedSigma: Double
    /// Satellites in the solution, 4 ... 12.
    public var satellitesUsed: Int
    /// Loss of signal strength against a free sky, dB.
    public var signalLoss: Int

    public static let names = ["none", "open", "suburb", "urban", "canyon"]

    /// `none`: the true positions. `open`, `suburb`, `urban`, `canyon`: 2.5, 5, 12, 20 m per axis.
    public init?(name: String) {
        switch name {
        case "none": self.init(sigmaMeters: 0, speedSigma: 0, satellitesUsed: 12, signalLoss: 0)
        case "open":
            self.init(sigmaMeters: 2.5, speedSigma: 0.05, satellitesUsed: 11, signalLoss: 2)
        case "suburb": self.init(sigmaMeters: 5, speedSigma: 0.1, satellitesUsed: 9, signalLoss: 6)
        case "urban": self.init(sigmaMeters: 12, speedSigma: 0.2, satellitesUsed: 7, signalLoss: 12)
        case "canyon":
            self.init(sigmaMeters: 20, speedSigma: 0.3, satellitesUsed: 5, signalLoss: 16)
        default: return nil
        }
    }

    public init(sigmaMeters: Double, speedSigma: Double, satellitesUsed: Int, signalLoss: Int) {
        self.sigmaMeters = sigmaMeters
        self.speedSigma = speedSigma
        self.satellitesUsed = satellitesUsed
        self.signalLoss = signalLoss
    }

    /// Standard deviation per axis that the receiver claims, metres: the true one times
    /// `claimFactor`, and never better than a single-frequency receiver dares to say.
    public var claimedSigmaMeters: Double { max(2, sigmaMeters * claimFactor) }

    /// The HDOP from which a listener computes the claimed accuracy, where the 68 % radius is
    /// HDOP x 5 m x 1.07 and also 1.07 x sqrt(2) x sigma.
    public var claimedHDOP: Double { claimedSigmaMeters * 2.0.squareRoot() / 5 }
}
