import Timekeeping

/// Deletes what has been kept for long enough, a piece at a time so that writers get in between.
public struct Retention: Sendable {
    public static let defaultDays = 90
    /// Events of one transaction.
    static let pieceSize = 1_000

    private let store: any ServerStore
    private let days: Int

    public init(_ store: any ServerStore, days: Int = defaultDays) {
        self.store = store
        self.days = days
    }

    /// Deletes everything that was received on a day more than `days` before today; the number of
    /// events. Running it again the same day does nothing.
    public func run(now: UTCTime) throws(StoreError) -> Int {
        let end = UTCTime(
            millisecondsSince1970: (now.daysSince1970 - Int64(days)) * UTCTime.millisecondsPerDay)
        var total = 0
        while true {
            let count = try store.deleteEvents(receivedBefore: end, limit: Self.pieceSize)
            total += count
            if count < Self.pieceSize { break }
        }
        try store.deleteRemains(of: end, now: now)
        return total
    }
}
