import Positioning
import Timekeeping

/// Finds the day on which a log begins that names its date late, as loggers of GGA with a rare ZDA do.
///
/// Days are counted backwards from the first date over the midnights between: the day of every
/// epoch is the one nearest to the epoch that follows it.
public enum DateSearch {
    /// An instant on the day of the first epoch; nil where the log begins with a date or has none.
    public static func firstInstant(of bytes: [UInt8]) -> UTCTime? {
        guard let dated = firstDate(in: bytes), dated.index > 0,
            WeekRollover.judge(dated.time, floor: nil) == .kept
        else { return nil }
        // On a provisional day the epochs before the date get their distances from each other.
        var index = 0
        var first: UTCTime?
        var last: UTCTime?
        LogDecoder.forEachEpoch(of: bytes, startingOn: provisionalDay) { fix in
            if index < dated.index, let time = fix.time {
                first = first ?? time
                last = time
            }
            index += 1
        }
        guard let first, let last else { return nil }
        let day = UTCTime.millisecondsPerDay
        var gap = (dated.time.millisecondsOfDay - last.millisecondsOfDay) % day
        if gap > day / 2 { gap -= day }
        if gap < -day / 2 { gap += day }
        let trueLast = dated.time.advanced(byMilliseconds: -gap)
        return trueLast.advanced(byMilliseconds: -last.milliseconds(since: first))
    }

    private static let provisionalDay = CalendarDate(daysSince1970: 14_610)

    private static func firstDate(in bytes: [UInt8]) -> (index: Int, time: UTCTime)? {
        var index = 0
        var found: (index: Int, time: UTCTime)?
        LogDecoder.forEachEpoch(of: bytes) { fix in
            if found == nil, let time = fix.time { found = (index, time) }
            index += 1
        }
        return found
    }
}
