import Positioning
import Timekeeping

extension Moment {
    /// When the fix was received, with its time where that is trusted.
    public init(_ fix: Fix) {
        self.init(uptime: fix.uptime, utc: fix.isTimeTrusted ? fix.time : nil)
    }

    /// This moment moved by whole milliseconds on both scales.
    public func advanced(byMilliseconds amount: Int64) -> Moment {
        Moment(
            uptime: uptime?.advanced(byMilliseconds: amount),
            utc: utc?.advanced(byMilliseconds: amount))
    }

    /// Seconds from `earlier`; nil where one of the two is not known in uptime.
    func seconds(since earlier: Moment) -> Double? {
        guard let uptime, let start = earlier.uptime else { return nil }
        return uptime.seconds(since: start)
    }

    /// The moment a fraction of the way to another, 0 ... 1, on the scales that both know.
    func interpolated(to other: Moment, fraction: Double) -> Moment {
        func between(_ start: Int64, _ end: Int64) -> Int64 {
            start + Int64((Double(end - start) * fraction).rounded())
        }
        var result = Moment(uptime: nil, utc: nil)
        if let start = uptime, let end = other.uptime {
            result.uptime = Uptime(milliseconds: between(start.milliseconds, end.milliseconds))
        }
        if let start = utc, let end = other.utc {
            result.utc = UTCTime(
                millisecondsSince1970: between(
                    start.millisecondsSince1970, end.millisecondsSince1970))
        } else if let end = other.utc, let from = result.uptime, let to = other.uptime {
            result.utc = end.advanced(byMilliseconds: from.milliseconds - to.milliseconds)
        }
        return result
    }

    /// Whether this moment lies before another, as far as a common scale tells.
    func isBefore(_ other: Moment) -> Bool {
        if let uptime, let end = other.uptime { return uptime < end }
        if let utc, let end = other.utc { return utc < end }
        return false
    }
}
