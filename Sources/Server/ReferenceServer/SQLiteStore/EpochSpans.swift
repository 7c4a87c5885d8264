import SQLite
import Timekeeping

/// When the events of each epoch of a device were detected, and which epochs cannot be of one device.
///
/// A device has one queue at a time. So an epoch begins where another one ended, or lies wholly
/// within another one (the queue in memory while the disk refused writes). Two that overlap without
/// that are two devices under one name: a copied card, or an id that was given twice. What is found
/// once stays found.
struct EpochSpans {
    /// Two clocks of one device may differ by so much before and after a restart, milliseconds.
    static let toleratedMilliseconds: Int64 = 300_000
    /// Epochs of a device that are compared, the latest; more than a device ever has within weeks.
    static let comparedEpochs = 20

    private var spans: [Int64: (first: Int64, last: Int64)] = [:]

    /// An event of the epoch of this row was kept; nil: its time is not known (yet).
    mutating func note(_ detected: UTCTime?, ofEpoch epoch: Int64) {
        guard let time = detected?.millisecondsSince1970 else { return }
        let span = spans[epoch] ?? (time, time)
        spans[epoch] = (min(span.first, time), max(span.last, time))
    }

    func write(device: Int64, now: UTCTime, on connection: Connection) throws {
        for (epoch, span) in spans.sorted(by: { $0.key < $1.key }) {
            try connection.run(
                """
                UPDATE epochs SET first_ms = min(coalesce(first_ms, ?), ?),
                    last_ms = max(coalesce(last_ms, ?), ?) WHERE id = ?
                """, span.first, span.first, span.last, span.last, epoch)
            let others = try connection.query(
                """
                SELECT b.id FROM epochs a JOIN epochs b ON b.device = a.device AND b.id <> a.id
                    WHERE a.id = ? AND b.ordinal >
                        (SELECT max(ordinal) - ? FROM epochs WHERE device = ?)
                    AND min(a.last_ms, b.last_ms) - max(a.first_ms, b.first_ms) > ?
                    AND (a.first_ms < b.first_ms) = (a.last_ms < b.last_ms)
                """, epoch, Self.comparedEpochs, device, Self.toleratedMilliseconds
            ) { $0.int64(0) }
            for found in others.isEmpty ? [] : others + [epoch] {
                try connection.run(
                    "UPDATE epochs SET interleaved_ms = coalesce(interleaved_ms, ?) WHERE id = ?",
                    now.millisecondsSince1970, found)
            }
        }
    }
}

extension ServerSchema {
    /// What `EpochSpans` keeps, how many events of an epoch retention has deleted, and who is inside
    /// a fence.
    ///
    /// Until then nobody counted what was deleted: what is gone from the beginning of an epoch is
    /// taken for that, or every old device would have an alarm.
    static let epochSpans = """
        ALTER TABLE epochs ADD COLUMN first_ms INTEGER;
        ALTER TABLE epochs ADD COLUMN last_ms INTEGER;
        ALTER TABLE epochs ADD COLUMN interleaved_ms INTEGER;
        ALTER TABLE epochs ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
        UPDATE epochs SET
            first_ms = (SELECT min(e.detected_ms) FROM events e
                WHERE e.device = epochs.device AND e.epoch = epochs.id),
            last_ms = (SELECT max(e.detected_ms) FROM events e
                WHERE e.device = epochs.device AND e.epoch = epochs.id),
            deleted = max(0, coalesce((SELECT min(e.seq) - 1 FROM events e
                WHERE e.device = epochs.device AND e.epoch = epochs.id), 0));
        CREATE INDEX events_without_time ON events (device, boot_id) WHERE detected_ms IS NULL;
        CREATE INDEX epochs_interleaved ON epochs (device) WHERE interleaved_ms IS NOT NULL;
        CREATE INDEX occupancy_of_fence ON occupancy (fence_id, device) WHERE inside;
        """
}
