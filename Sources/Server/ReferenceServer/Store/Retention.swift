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
    ///
    /// Nil: nobody vouches for the clock, so nothing was touched; what a clock that is ahead deletes
    /// never comes back. Ends between two pieces once `isStopped`.
    public func run(
        at clock: WallClockReading, isStopped: () -> Bool = { false }
    ) throws(StoreError) -> Int? {
        guard clock.isSynchronised else { return nil }
        let end = UTCTime(
            millisecondsSince1970: (clock.time.daysSince1970 - Int64(days))
                * UTCTime.millisecondsPerDay)
        var total = 0
        var count = Self.pieceSize
        while count == Self.pieceSize {
            if isStopped() { return total }
            count = try store.deleteEvents(receivedBefore: end, limit: Self.pieceSize)
            total += count
        }
        try store.deleteExpired(before: end, now: clock.time)
        // Only deleted events leave anchors behind.
        var device: Int64? = total > 0 ? 0 : nil
        while let last = device, !isStopped() {
            device = try store.deleteAnchors(before: end, afterDevice: last)
        }
        return total
    }
}
