import NMEA
import Positioning
import Timekeeping
import WireFormat

/// Writes epochs as NDJSON, the output of `decode`, into memory that is handed on when it is full.
///
///     {"time":"2021-03-11T10:10:10.000Z","lat":10.20167,"lon":20.674416667,"dimension":"3d",
///      "quality":"autonomous","accuracy_m":4.815,"speed_mps":null,"course_deg":null}
public struct EpochLineWriter {
    /// Of one line, with room to spare.
    private static let maximumLineBytes = 512
    private static let capacity = 1 << 16

    private var buffer = [UInt8](repeating: 0, count: Self.capacity)
    private var count = 0

    public init() {}

    /// Whether another line may not fit; then `take` comes first.
    public var isFull: Bool { count > Self.capacity - Self.maximumLineBytes }

    public var isEmpty: Bool { count == 0 }

    /// Takes out what was written.
    public mutating func take() -> ArraySlice<UInt8> {
        defer { count = 0 }
        return buffer[..<count]
    }

    /// Appends the line of one epoch. While `isFull`, it is refused and false.
    public mutating func append(_ fix: Fix) -> Bool {
        guard !isFull else { return false }
        buffer.withUnsafeMutableBufferPointer { bytes in
            var line = JSONBytes(bytes, count: count)
            line.text("{\"time\":")
            line.time(fix.time)
            line.text(",\"lat\":")
            line.number(fix.coordinate?.latitude, decimals: 10)
            line.text(",\"lon\":")
            line.number(fix.coordinate?.longitude, decimals: 10)
            line.text(",\"dimension\":\"")
            line.text(Self.name(fix.dimension))
            line.text("\",\"quality\":\"")
            line.text(Self.name(fix.quality))
            line.text("\",\"accuracy_m\":")
            line.number(fix.horizontalAccuracy?.meters, decimals: 5)
            line.text(",\"speed_mps\":")
            line.number(fix.speed, decimals: 4)
            line.text(",\"course_deg\":")
            line.number(fix.course, decimals: 4)
            line.text("}\n")
            count = line.count
        }
        return true
    }

    /// The line of `--counters` for gpsd JSON.
    public static func line(of counters: GPSDCounters) -> [UInt8] {
        let fields = counters.named.map { "\"\($0.name)\":\($0.count)" }
        return Array("{\"counters\":{\(fields.joined(separator: ","))}}\n".utf8)
    }

    /// The line of `--counters` for logs of positions.
    public static func line(of counters: TrackCounters) -> [UInt8] {
        let fields =
            "\"epochs\":\(counters.epochs),\"fixes\":\(counters.fixes),\"bytes\":\(counters.bytes)"
        return Array("{\"counters\":{\(fields)}}\n".utf8)
    }

    /// Appends the line of `--counters` for NMEA.
    public mutating func append(_ counters: NMEACounters) -> Bool {
        guard !isFull else { return false }
        let fields: [(StaticString, Int)] = [
            ("\"accepted\":", counters.accepted), (",\"rejected\":", counters.rejected),
            (",\"epochs\":", counters.epochs), (",\"fixes\":", counters.fixes),
            (",\"bytes\":", counters.bytes), (",\"unknown_type\":", counters.unknownType),
            (",\"checksum_mismatch\":", counters.checksumMismatch),
            (",\"checksum_missing\":", counters.checksumMissing),
            (",\"too_long\":", counters.tooLong), (",\"non_printable\":", counters.nonPrintable),
            (",\"interrupted\":", counters.interrupted), (",\"malformed\":", counters.malformed),
            (",\"null_island\":", counters.nullIsland), (",\"late\":", counters.late),
            (",\"ubx_frames\":", counters.ubxFrames), (",\"rtcm_frames\":", counters.rtcmFrames),
            (",\"false_binary_headers\":", counters.falseBinaryHeaders),
        ]
        buffer.withUnsafeMutableBufferPointer { bytes in
            var line = JSONBytes(bytes, count: count)
            line.text("{\"counters\":{")
            for (key, value) in fields {
                line.text(key)
                line.integer(Int64(value))
            }
            line.text("}}\n")
            count = line.count
        }
        return true
    }

    private static func name(_ dimension: Dimension) -> StaticString {
        switch dimension {
        case .none: "none"
        case .twoDimensional: "2d"
        case .threeDimensional: "3d"
        }
    }

    /// As `Quality.name`, without making a String.
    private static func name(_ quality: Quality) -> StaticString {
        switch quality {
        case .none: "none"
        case .autonomous: "autonomous"
        case .differential: "differential"
        case .pps: "pps"
        case .rtkFixed: "rtk_fixed"
        case .rtkFloat: "rtk_float"
        case .estimated: "estimated"
        case .manual: "manual"
        case .simulated: "simulated"
        case .other: "other"
        }
    }
}
