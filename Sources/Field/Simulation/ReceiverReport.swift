import Geodesy
import Timekeeping

/// What a simulated receiver knows at one epoch, and how it says it in NMEA 0183.
struct ReceiverReport: Sendable {
    /// Nil before the receiver has learnt it.
    let time: UTCTime?
    let noise: ReceiverNoise
    let satellites: [SimulatedSky.Satellite]
    /// dB-Hz, in the order of `satellites`.
    let signals: [Int?]
    /// Nil without a fix.
    var solution: Solution?

    struct Solution: Sendable {
        let position: Coordinate
        /// Metres per second.
        let speed: Double
        let courseDegrees: Double
    }

    /// Below, the direction of motion is noise and receivers leave it out, metres per second.
    private static let slowestCourse = 0.5
    private static let knotsPerMeterPerSecond = 3600.0 / 1852

    func sentences(_ kinds: Set<SentenceKind>) -> [UInt8] {
        SentenceKind.allCases.filter(kinds.contains).flatMap { kind in
            switch kind {
            case .rmc: recommendedMinimum
            case .vtg: velocity
            case .gga: fixData
            case .gsa: activeSatellites
            case .gsv: satellitesInView
            case .gst: errorStatistics
            case .zda: timeAndDate
            }
        }
    }

    private var recommendedMinimum: [UInt8] {
        var text = SentenceText("GNRMC")
        addTime(to: &text)
        text.field(solution == nil ? "V" : "A")
        addPosition(to: &text)
        if let solution {
            text.field(solution.speed * Self.knotsPerMeterPerSecond, decimals: 3)
        } else {
            text.field()
        }
        addCourse(to: &text)
        if let date = time?.date {
            text.field(
                [date.day, date.month, date.year % 100].map(Self.twoDigits).joined())
        } else {
            text.field()
        }
        text.field()
        text.field()
        text.field(solution == nil ? "N" : "A")
        text.field("V")
        return text.closed
    }

    private var velocity: [UInt8] {
        var text = SentenceText("GNVTG")
        addCourse(to: &text)
        text.field("T")
        text.field()
        text.field("M")
        if let solution {
            text.field(solution.speed * Self.knotsPerMeterPerSecond, decimals: 3)
            text.field("N")
            text.field(solution.speed * 3.6, decimals: 3)
        } else {
            text.field()
            text.field("N")
            text.field()
        }
        text.field("K")
        text.field(solution == nil ? "N" : "A")
        return text.closed
    }

    private var fixData: [UInt8] {
        var text = SentenceText("GNGGA")
        addTime(to: &text)
        addPosition(to: &text)
        text.field(solution == nil ? "0" : "1")
        text.field(solution == nil ? 0 : used.count, digits: 2)
        text.field(solution == nil ? 99.99 : noise.claimedHDOP, decimals: 2)
        for (value, unit) in [(Self.altitudeMeters, "M"), (Self.geoidMeters, "M")] {
            if solution == nil { text.field() } else { text.field(value, decimals: 1) }
            text.field(solution == nil ? "" : unit)
        }
        text.field()
        text.field()
        return text.closed
    }

    private static let altitudeMeters = 52.0
    private static let geoidMeters = 46.0

    private var activeSatellites: [UInt8] {
        var text = SentenceText("GNGSA")
        text.field("A")
        text.field(solution == nil ? "1" : "3")
        for slot in 0..<12 {
            if solution != nil, slot < used.count {
                text.field(used[slot], digits: 2)
            } else {
                text.field()
            }
        }
        // A usual sky: PDOP is 1.9 and VDOP 1.6 times HDOP.
        for factor in [1.9, 1, 1.6] {
            text.field(solution == nil ? 99.99 : noise.claimedHDOP * factor, decimals: 2)
        }
        return text.closed
    }

    private var used: [Int] {
        satellites.prefix(min(12, max(4, noise.satellitesUsed))).map(\.number)
    }

    private var satellitesInView: [UInt8] {
        let seen = zip(satellites, signals)
        let entries = seen.map { ($0, $1) }
        let sentenceCount = (entries.count + 3) / 4
        return (0..<sentenceCount).flatMap { index -> [UInt8] in
            var text = SentenceText("GPGSV")
            text.field(sentenceCount, digits: 1)
            text.field(index + 1, digits: 1)
            text.field(entries.count, digits: 2)
            for (satellite, signal) in entries[index * 4..<min(entries.count, index * 4 + 4)] {
                text.field(satellite.number, digits: 2)
                text.field(satellite.elevation, digits: 2)
                text.field(satellite.azimuth, digits: 3)
                if let signal { text.field(signal, digits: 2) } else { text.field() }
            }
            return text.closed
        }
    }

    private var errorStatistics: [UInt8] {
        var text = SentenceText("GNGST")
        addTime(to: &text)
        guard solution != nil else {
            for _ in 0..<7 { text.field() }
            return text.closed
        }
        let sigma = noise.claimedSigmaMeters
        text.field(sigma, decimals: 1)
        text.field(sigma, decimals: 2)
        text.field(sigma, decimals: 2)
        text.field(0, decimals: 1)
        text.field(sigma, decimals: 2)
        text.field(sigma, decimals: 2)
        text.field(sigma * 1.6, decimals: 2)
        return text.closed
    }

    private var timeAndDate: [UInt8] {
        var text = SentenceText("GNZDA")
        addTime(to: &text)
        if let date = time?.date {
            text.field(date.day, digits: 2)
            text.field(date.month, digits: 2)
            text.field(date.year, digits: 4)
            text.field("00")
            text.field("00")
        } else {
            for _ in 0..<5 { text.field() }
        }
        return text.closed
    }

    private func addTime(to text: inout SentenceText) {
        if let time { text.time(time) } else { text.field() }
    }

    private func addPosition(to text: inout SentenceText) {
        guard let position = solution?.position else {
            for _ in 0..<4 { text.field() }
            return
        }
        text.angle(position.latitude, degreeDigits: 2, positive: "N", negative: "S")
        text.angle(position.longitude, degreeDigits: 3, positive: "E", negative: "W")
    }

    private func addCourse(to text: inout SentenceText) {
        if let solution, solution.speed >= Self.slowestCourse {
            // 360.00 is no course: what would round up to it is 0.
            let course = solution.courseDegrees < 359.995 ? solution.courseDegrees : 0
            text.field(course, decimals: 2)
        } else {
            text.field()
        }
    }

    private static func twoDigits(_ value: Int) -> String {
        (value < 10 ? "0" : "") + String(value)
    }
}
