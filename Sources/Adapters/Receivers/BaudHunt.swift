import Timekeeping

/// Finds the speed of a receiver by listening: a speed is right when sentences with good checksums
/// come. Pure.
///
/// A wrong speed gives noise, so silence says nothing about the speed: it means wiring, and the hunt
/// waits. A speed that gave one good checksum gets more time, for a slow receiver sends few sentences.
public struct BaudHunt: Hashable, Sendable {
    /// Tried in this order after the configured speed and the last good one.
    public static let usualSpeeds = [
        9600, 38_400, 115_200, 4800, 57_600, 230_400, 460_800, 921_600,
    ]
    /// How long each speed is listened to.
    public static let dwellMilliseconds: Int64 = 2200
    /// Good checksums that prove a speed.
    public static let checksumsUntilLocked = 3
    /// A proven speed is doubted when bytes come for so long without a good checksum.
    public static let doubtMilliseconds: Int64 = 6000
    /// Fewer bytes than this are a glitch on the line and say nothing.
    public static let bytesOfNoise = 8
    /// How long a speed with a good checksum, but not yet enough of them, is listened to.
    public static let patienceMilliseconds: Int64 = 12_000

    public enum Decision: Hashable, Sendable {
        case stay
        /// Set this speed and listen again.
        case change(Int)
        /// The speed is proven just now.
        case lock(Int)
    }

    /// The speeds, in the order in which they are tried.
    public let speeds: [Int]
    /// Whether the speed is proven.
    public private(set) var isLocked = false
    /// How often all speeds were tried in vain.
    public private(set) var rounds = 0

    private var index = 0
    /// When this speed was set, or proven.
    private var start: Uptime
    /// Since when `bytes` are counted.
    private var windowStart: Uptime
    private var bytes = 0
    private var checksums = 0

    /// `configured` and `lastGood` are tried first where they are known.
    public init(configured: Int?, lastGood: Int?, at uptime: Uptime) {
        var speeds: [Int] = []
        for speed in [configured, lastGood].compactMap(\.self) + Self.usualSpeeds
        where !speeds.contains(speed) {
            speeds.append(speed)
        }
        self.speeds = speeds
        start = uptime
        windowStart = uptime
    }

    /// The speed that is listened to now.
    public var speed: Int { speeds[index] }

    /// When `decide` has to be asked again at the latest.
    public var deadline: Uptime {
        windowStart.advanced(
            byMilliseconds: isLocked ? Self.doubtMilliseconds : Self.dwellMilliseconds)
    }

    /// What was received: bytes, and how many good checksums were among them.
    public mutating func note(bytes: Int, checksums: Int, at uptime: Uptime) {
        self.bytes += bytes
        self.checksums += checksums
        if isLocked, checksums > 0 { beginWindow(at: uptime) }
    }

    /// What to do now.
    public mutating func decide(at uptime: Uptime) -> Decision {
        if !isLocked, checksums >= Self.checksumsUntilLocked {
            isLocked = true
            rounds = 0
            begin(at: uptime)
            return .lock(speed)
        }
        guard uptime >= deadline else { return .stay }
        let isNoise = bytes >= Self.bytesOfNoise
        let isHopeful =
            checksums > 0
            && uptime < start.advanced(byMilliseconds: Self.patienceMilliseconds)
        guard isNoise, !isHopeful else {
            beginWindow(at: uptime)
            return .stay
        }
        return changeSpeed(at: uptime)
    }

    private mutating func changeSpeed(at uptime: Uptime) -> Decision {
        isLocked = false
        index += 1
        if index >= speeds.count {
            index = 0
            rounds += 1
        }
        begin(at: uptime)
        return .change(speed)
    }

    private mutating func begin(at uptime: Uptime) {
        start = uptime
        checksums = 0
        beginWindow(at: uptime)
    }

    private mutating func beginWindow(at uptime: Uptime) {
        windowStart = uptime
        bytes = 0
        if isLocked { checksums = 0 }
    }
}
