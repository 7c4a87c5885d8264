import Geodesy
import NMEA
import Positioning
import Simulation
import Timekeeping

/// A real log, cut into the bursts of its epochs, that is sent again with damaged bytes through the
/// live decoder and the quality gate.
public struct DamagedDrive: Sendable {
    /// The bytes of one epoch, when they arrive and where the receiver really was.
    private struct Burst: Sendable {
        var bytes: Range<Int>
        var uptime: Uptime
        var truth: Coordinate?
    }

    /// How a byte is damaged.
    public enum Damage: Sendable {
        case anotherByte
        /// What a checksum of exclusive ors is weakest against.
        case flippedBit

        fileprivate func mask(using random: inout SeededGenerator) -> UInt8 {
            switch self {
            case .anotherByte: UInt8.random(in: 1...255, using: &random)
            case .flippedBit: 1 << UInt8.random(in: 0..<8, using: &random)
            }
        }
    }

    /// What came through.
    public struct Outcome: Sendable {
        /// Fixes that the decoder gave.
        public var decoded = 0
        /// Of these, more than `limitMeters` off.
        public var decodedOff = 0
        /// Fixes that the gate let pass.
        public var passed = 0
        /// Of these, more than `limitMeters` off: their distances, metres.
        public var passedOff: [Double] = []

        public init() {}

        /// Adds what another seed gave.
        public mutating func add(_ other: Outcome) {
            decoded += other.decoded
            decodedOff += other.decodedOff
            passed += other.passed
            passedOff += other.passedOff
        }
    }

    public static let limitMeters = 1000.0
    public static let damagedShare = 200
    /// A fix may belong to the burst before or behind the one with which it came.
    private static let neighbours = 3

    private let bytes: [UInt8]
    private var bursts: [Burst] = []

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var decoder = LogDecoder()
        var start = 0
        var line = 0
        var burst: [(end: Int, fix: Fix)] = []
        for (index, byte) in bytes.enumerated() where byte == 0x0A || index == bytes.count - 1 {
            bytes[line...index].withUnsafeBytes { piece in
                decoder.consume(piece) { burst.append((line, $0)) }
            }
            line = index + 1
        }
        decoder.finish { burst.append((bytes.count, $0)) }
        var uptime: Int64 = 100_000
        var last: UTCTime?
        for (end, fix) in burst where end > start {
            var step: Int64 = 1000
            if let time = fix.time, let last {
                step = min(max(time.milliseconds(since: last), 20), 3_600_000)
            }
            last = fix.time ?? last
            uptime += step
            bursts.append(
                Burst(
                    bytes: start..<end, uptime: Uptime(milliseconds: uptime),
                    truth: fix.coordinate))
            start = end
        }
    }

    /// Epochs with a position while nothing is damaged.
    public var fixes: Int { bursts.count { $0.truth != nil } }

    /// One seed gives the same damage every time.
    public func run(seed: UInt64, _ damage: Damage) -> Outcome {
        var random = SeededGenerator(seed: seed, stream: 200)
        var damaged = bytes
        for _ in 0..<bytes.count / Self.damagedShare {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            damaged[place] ^= damage.mask(using: &random)
        }
        var decoder = NMEADecoder()
        var filter = FixFilter()
        filter.sourceOpened()
        var outcome = Outcome()
        for (index, burst) in bursts.enumerated() {
            let emit: (Fix) -> Void = { judge($0, &filter, &outcome) }
            decoder.consume(damaged[burst.bytes], at: burst.uptime, emit: emit)
            let next = index + 1 < bursts.count ? bursts[index + 1].uptime : nil
            while let deadline = decoder.idleDeadline, next.map({ deadline < $0 }) ?? true {
                decoder.idle(at: deadline, emit: emit)
                if decoder.idleDeadline == deadline { break }
            }
        }
        decoder.finish(at: bursts.last?.uptime ?? Uptime(milliseconds: 0)) {
            judge($0, &filter, &outcome)
        }
        return outcome
    }

    private func judge(_ fix: Fix, _ filter: inout FixFilter, _ outcome: inout Outcome) {
        if fix.coordinate != nil {
            outcome.decoded += 1
            if let distance = distance(fix), distance > Self.limitMeters { outcome.decodedOff += 1 }
        }
        let result = filter.ingest(fix)
        for member in result.released + [result.latest]
        where member.verdict == .ok || member.verdict == .departOnly {
            outcome.passed += 1
            if let distance = distance(member.fix), distance > Self.limitMeters {
                outcome.passedOff.append(distance)
            }
        }
    }

    /// From where the receiver really was when the bytes arrived; nil where nobody knows.
    private func distance(_ fix: Fix) -> Double? {
        guard let coordinate = fix.coordinate, !bursts.isEmpty else { return nil }
        var low = 0
        var high = bursts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if bursts[middle].uptime <= fix.uptime { low = middle } else { high = middle }
        }
        var near = low - Self.neighbours
        var far = low + Self.neighbours
        while near > 0, bursts[near].truth == nil { near -= 1 }
        while far < bursts.count - 1, bursts[far].truth == nil { far += 1 }
        let truths = bursts[max(0, near)...min(bursts.count - 1, far)].compactMap(\.truth)
        return truths.map { $0.distance(to: coordinate) }.min()
    }
}
