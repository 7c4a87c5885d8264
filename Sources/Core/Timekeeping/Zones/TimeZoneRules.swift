/// What clocks of a place showed, show and will show, as the tz database has it.
///
/// A pure value: the bytes of a TZif file go in, offsets come out.
public struct TimeZoneRules: Hashable, Sendable {
    /// Seconds since 1970 at which another offset begins, ascending.
    let transitions: [Int64]
    /// Seconds east of UTC from each transition on.
    let offsets: [Int32]
    /// Seconds east of UTC before the first transition, and where there is none.
    let firstOffset: Int32
    /// What holds from the last transition on; nil: its offset does, for ever.
    let rule: DaylightRule?

    /// Offset 0 at all times.
    public static let utc = TimeZoneRules(
        transitions: [], offsets: [], firstOffset: 0, rule: nil)

    /// Seconds east of UTC at a time. O(log transitions).
    public func offsetSeconds(at time: UTCTime) -> Int {
        let seconds = time.millisecondsSince1970.flooringDivision(by: 1000)
        guard let last = transitions.last else {
            return rule?.offsetSeconds(at: seconds) ?? Int(firstOffset)
        }
        if seconds >= last, let rule { return rule.offsetSeconds(at: seconds) }
        var low = 0
        var high = transitions.count
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= seconds { low = middle + 1 } else { high = middle }
        }
        return Int(low == 0 ? firstOffset : offsets[low - 1])
    }

    /// What calendar and clock of the place show at a time.
    public func localTime(at time: UTCTime) -> LocalTime {
        LocalTime(time, offsetSeconds: offsetSeconds(at: time))
    }
}
