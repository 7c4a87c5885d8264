import Timekeeping

extension Uptime {
    /// This uptime moved by seconds, rounded up to the next millisecond.
    func advanced(bySeconds seconds: Double) -> Uptime {
        let milliseconds = seconds * 1000
        let whole = Int64(exactly: milliseconds.rounded(.up)) ?? (seconds < 0 ? 0 : Int64.max / 4)
        return advanced(byMilliseconds: whole)
    }
}
