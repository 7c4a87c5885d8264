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

    /// What a run came to.
    public enum Outcome: Hashable, Sendable {
        /// So many events.
        case deleted(Int)
        /// Nobody vouches for the clock: nothing was touched.
        case unsynchronised
        /// The clock has gone ahead too far since the last run: nothing is touched until a run on the
        /// next day finds the same.
        case doubted
    }

    /// Deletes everything that was received on a day more than `days` before today. Running it again
    /// the same day does nothing. Ends between two pieces once `isStopped`.
    public func run(
        at clock: WallClockReading, isStopped: () -> Bool = { false }
    ) throws(StoreError) -> Outcome {
        guard clock.isSynchronised else { return .unsynchronised }
        let before = try store.retentionDays()
        var runs = before
        let isAccepted = runs.accept(clock.time.daysSince1970)
        if runs != before { try store.noteRetention(runs) }
        guard isAccepted else { return .doubted }
        let end = UTCTime(
            millisecondsSince1970: (clock.time.daysSince1970 - Int64(days))
                * UTCTime.millisecondsPerDay)
        var total = 0
        var count = Self.pieceSize
        while count == Self.pieceSize {
            if isStopped() { return .deleted(total) }
            count = try store.deleteEvents(receivedBefore: end, limit: Self.pieceSize)
            total += count
        }
        try store.deleteExpired(before: end, now: clock.time)
        var silent: Int64? = 0
        while let last = silent, !isStopped() {
            silent = try store.eraseSilentDevices(before: end, afterDevice: last)
        }
        // Once a day, or where deleted events left some behind.
        var device: Int64? = total > 0 || runs != before ? 0 : nil
        while let last = device, !isStopped() {
            device = try store.deleteAnchors(before: end, afterDevice: last)
        }
        return .deleted(total)
    }
}
