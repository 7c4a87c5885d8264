import Geodesy
import Timekeeping

/// A GNSS receiver on a drive: one batch of NMEA sentences for each epoch.
///
/// The same settings and seed give the same bytes, whoever takes them and however fast.
public struct ReceiverModel: Sendable {
    public var settings: Settings
    private let drive: RouteDrive
    private let covered: [ClosedRange<Double>]
    private var error: PositionError
    private var sky: SimulatedSky
    private var velocityGenerator: SeededGenerator
    private var epochIndex: Int64 = 0
    private var lastCoveredSeconds = -Double.infinity

    public struct Settings: Sendable {
        /// GNSS time of the departure; hundredths of a second count.
        public var start: UTCTime
        /// Milliseconds between epochs, whole hundredths of a second.
        public var periodMilliseconds: Int64 = 1000
        public var noise: ReceiverNoise
        public var sentences = SentenceKind.usual
        /// Seconds after departure between which there is no signal.
        public var outages: [ClosedRange<Double>] = []
        /// How long the receiver knows neither time nor place after it was switched on, seconds.
        public var coldStartSeconds = 0.0
        /// How long it goes on at the last position, seconds.
        public var lingerSeconds = 0.0

        public init(start: UTCTime, noise: ReceiverNoise) {
            self.start = start
            self.noise = noise
        }
    }

    /// How long a receiver needs after a tunnel, seconds.
    public static let reacquisitionSeconds = 2.0

    /// What is sent for one epoch.
    public struct Epoch: Sendable {
        public let time: UTCTime
        /// Since departure.
        public let seconds: Double
        /// Whether the sentences hold a position.
        public let hasFix: Bool
        public let truth: RouteDrive.State
        /// The reported position; also reckoned while there is no fix.
        public let reported: Coordinate
        public let bytes: [UInt8]
    }

    public init(_ route: Route, settings: Settings, seed: UInt64) {
        self.init(route, drive: RouteDrive(route), settings: settings, seed: seed)
    }

    /// With the drive of `route` where it is made already.
    public init(_ route: Route, drive: RouteDrive, settings: Settings, seed: UInt64) {
        var settings = settings
        let start = settings.start.millisecondsSince1970
        settings.start.millisecondsSince1970 = start - ((start % 10) + 10) % 10
        settings.periodMilliseconds = max(10, settings.periodMilliseconds / 10 * 10)
        self.settings = settings
        self.drive = drive
        covered = route.tunnels.map {
            drive.vertexDistances[$0.entrance]...drive.vertexDistances[$0.exit]
        }
        error = PositionError(settings.noise, seed: seed)
        sky = SimulatedSky(seed: seed)
        velocityGenerator = SeededGenerator(seed: seed, stream: 4)
    }

    /// The next epoch; nil after the end of the drive and the linger.
    public mutating func next() -> Epoch? {
        let milliseconds = epochIndex * settings.periodMilliseconds
        let seconds = Double(milliseconds) / 1000
        guard seconds <= drive.durationSeconds + settings.lingerSeconds else { return nil }
        if epochIndex > 0 { error.advance(seconds: Double(settings.periodMilliseconds) / 1000) }
        epochIndex += 1
        let truth = drive.state(at: seconds)
        let isCovered = isCovered(truth, seconds: seconds)
        let isCold = seconds < settings.coldStartSeconds
        var report = ReceiverReport(
            time: isCold ? nil : settings.start.advanced(byMilliseconds: milliseconds),
            noise: settings.noise, satellites: sky.satellites,
            signals: sky.signals(
                loss: settings.noise.signalLoss, isCovered: isCovered || isCold))
        let reported = truth.position.moved(by: error.offset)
        let velocity = measuredVelocity(truth)
        if !isCovered, !isCold {
            report.solution = ReceiverReport.Solution(
                position: reported, speed: velocity.lengthMeters,
                courseDegrees: velocity.courseDegrees)
        }
        let sendsSky = settings.periodMilliseconds >= 1000 || milliseconds % 1000 == 0
        return Epoch(
            time: settings.start.advanced(byMilliseconds: milliseconds), seconds: seconds,
            hasFix: report.solution != nil, truth: truth, reported: reported,
            bytes: report.sentences(settings.sentences.subtracting(sendsSky ? [] : [.gsv])))
    }

    private mutating func isCovered(_ truth: RouteDrive.State, seconds: Double) -> Bool {
        if covered.contains(where: { $0.contains(truth.distance) })
            || settings.outages.contains(where: { $0.contains(seconds) })
        {
            lastCoveredSeconds = seconds
        }
        return seconds - lastCoveredSeconds < Self.reacquisitionSeconds
    }

    private mutating func measuredVelocity(_ truth: RouteDrive.State) -> PlaneOffset {
        let sigma = settings.noise.speedSigma
        let error = PlaneOffset(
            eastMeters: sigma * velocityGenerator.normal(),
            northMeters: sigma * velocityGenerator.normal())
        return PlaneOffset(eastMeters: 0, northMeters: truth.speed)
            .turned(byRadians: truth.courseDegrees * .pi / 180) + error
    }
}
