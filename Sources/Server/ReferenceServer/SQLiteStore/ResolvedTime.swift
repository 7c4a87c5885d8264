/// SQL for the UTC of a moment that a device may have known by its uptime only.
enum ResolvedTime {
    /// The moment's own UTC, else what the nearest clock anchor of the same boot gives, a GNSS one
    /// before others; null: neither is there (yet). Resolved on reading, so that an anchor which
    /// arrives late counts for events that were kept long before.
    ///
    /// Uptimes that no boot has are passed over: their sums and distances would overflow.
    ///
    /// ORDER BY of a scalar subquery cannot see the outer row; the columns beside a single min() are
    /// those of the row that has the minimum (sqlite.org/lang_select.html, "bare columns").
    static func sql(utc: String, mono: String, boot: String, device: String) -> String {
        """
        coalesce(\(utc), (SELECT a.utc_ms + \(mono) - a.mono_ms FROM anchors a
            WHERE a.device = \(device) AND a.boot_id = \(boot) AND \(mono) \(isPossible)
                AND a.mono_ms \(isPossible) AND a.utc_ms \(isPossible)
            GROUP BY a.device HAVING
            min((a.source <> 'gnss') * \(penalty) + abs(a.mono_ms - \(mono))) IS NOT NULL))
        """
    }

    private static let isPossible =
        "BETWEEN \(ReceivedEvent.milliseconds.lowerBound) AND \(ReceivedEvent.milliseconds.upperBound)"

    /// Milliseconds; more than any uptime.
    private static let penalty: Int64 = 1_000_000_000_000_000
}
