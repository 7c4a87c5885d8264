/// Which of two events of a device is the later one, in SQL.
///
/// Within an epoch its numbers decide, and epochs follow each other as they were first received. But
/// an epoch may lie within another one: a queue in memory while the disk refused writes, after which
/// the disk's own epoch goes on. So between epochs boots decide, as they were first received, and
/// within a boot the uptime, which no clock on the wall disturbs.
enum EventOrder {
    /// What an event is placed by.
    struct Columns {
        /// The ordinal of its epoch.
        var epoch: String
        var sequence: String
        /// Its row in `boots`.
        var boot: String
        /// Milliseconds of uptime; what is unknown (NULL) decides nothing.
        var uptime: String
    }

    static func isLater(_ one: Columns, than other: Columns) -> String {
        """
        (CASE WHEN \(one.epoch) <> \(other.epoch) AND \(one.boot) <> \(other.boot)
                THEN \(one.boot) > \(other.boot)
            WHEN \(one.epoch) <> \(other.epoch) AND \(one.boot) = \(other.boot)
                AND \(one.uptime) <> \(other.uptime) THEN \(one.uptime) > \(other.uptime)
            ELSE (\(one.epoch), \(one.sequence)) > (\(other.epoch), \(other.sequence)) END)
        """
    }

    /// Of rows of `visits`, by their beginnings.
    static func isLaterVisit(_ one: String, than other: String) -> String {
        isLater(columns(ofVisit: one), than: columns(ofVisit: other))
    }

    private static func columns(ofVisit row: String) -> Columns {
        Columns(
            epoch: "\(row).start_epoch", sequence: "\(row).start_seq",
            boot: "\(row).start_boot_order", uptime: "\(row).start_mono_ms")
    }

    /// Of rows of `occupancy`.
    static func columns(ofOccupancy row: String) -> Columns {
        Columns(
            epoch: "\(row).epoch", sequence: "\(row).seq", boot: "\(row).boot_order",
            uptime: "\(row).mono_ms")
    }
}

extension ServerSchema {
    /// Boots in the order of their first receipt (their numbers are never used again), what
    /// `EpochCounts` counts, and by which days retention goes.
    static let eventOrder = """
        CREATE TABLE boots (
            id INTEGER PRIMARY KEY AUTOINCREMENT, device INTEGER NOT NULL, boot_id TEXT NOT NULL,
            UNIQUE (device, boot_id)
        ) STRICT;
        INSERT INTO boots (device, boot_id)
            SELECT device, boot_id FROM events GROUP BY device, boot_id ORDER BY min(id);
        ALTER TABLE visits ADD COLUMN start_boot_order INTEGER;
        UPDATE visits SET start_boot_order = (SELECT b.id FROM boots b
            WHERE b.device = visits.device AND b.boot_id = visits.start_boot);
        ALTER TABLE occupancy ADD COLUMN boot_order INTEGER;
        ALTER TABLE occupancy ADD COLUMN mono_ms INTEGER;
        UPDATE occupancy SET (boot_order, mono_ms) = (SELECT b.id, e.mono_ms FROM epochs p
            JOIN events e ON e.device = p.device AND e.epoch = p.id AND e.seq = occupancy.seq
            JOIN boots b ON b.device = e.device AND b.boot_id = e.boot_id
            WHERE p.device = occupancy.device AND p.ordinal = occupancy.epoch
                AND e.fence_id = occupancy.fence_id LIMIT 1);
        ALTER TABLE epochs ADD COLUMN events INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE epochs ADD COLUMN conflicts INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE epochs ADD COLUMN last_seq INTEGER NOT NULL DEFAULT 0;
        UPDATE epochs SET (events, conflicts, last_seq) =
            (SELECT count(*), count(e.seq) - count(DISTINCT e.seq), coalesce(max(e.seq), 0)
                FROM events e WHERE e.device = epochs.device AND e.epoch = epochs.id);
        CREATE TABLE retention_days (
            id INTEGER PRIMARY KEY CHECK (id = 1), trusted INTEGER, claimed INTEGER
        ) STRICT;
        INSERT INTO retention_days (id) VALUES (1);
        """
}
