import Timekeeping

/// The true track of a drive as NDJSON, `{"time", "lat", "lon", "sigma_m"}`, ten lines a second.
public struct TruthTrack: Sendable {
    public static let periodMilliseconds: Int64 = 100
    /// What the simulation claims to know of itself, metres.
    public static let sigmaMeters = 0.01

    private let drive: RouteDrive
    private let start: UTCTime
    private let lingerSeconds: Double
    private var index: Int64 = 0

    public init(_ drive: RouteDrive, start: UTCTime, lingerSeconds: Double = 0) {
        self.drive = drive
        let milliseconds = start.millisecondsSince1970
        self.start = UTCTime(
            millisecondsSince1970: milliseconds - ((milliseconds % 10) + 10) % 10)
        self.lingerSeconds = lingerSeconds
    }

    /// The next line with its newline; nil after the end of the drive and the linger.
    public mutating func next() -> [UInt8]? {
        let milliseconds = index * Self.periodMilliseconds
        let seconds = Double(milliseconds) / 1000
        guard seconds <= drive.durationSeconds + lingerSeconds else { return nil }
        index += 1
        let position = drive.state(at: seconds).position
        var line = Array(
            "{\"time\":\"\(start.advanced(byMilliseconds: milliseconds).rfc3339)\",\"lat\":".utf8)
        line.append(decimal: position.latitude, decimals: 9)
        line += Array(",\"lon\":".utf8)
        line.append(decimal: position.longitude, decimals: 9)
        line += Array(",\"sigma_m\":".utf8)
        line.append(decimal: Self.sigmaMeters, decimals: 2)
        line += Array("}\n".utf8)
        return line
    }
}
