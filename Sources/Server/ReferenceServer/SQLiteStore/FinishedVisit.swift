import SQLite

/// A visit of which events were deleted, and what becomes of it.
struct FinishedVisit: Hashable {
    let device: Int64
    let id: String

    /// Deletes it, unless an event of it is left or it is still open; then it keeps its beginning.
    ///
    /// A visit without an end counts as open once no later one of its fence is known. So those before
    /// this one go first, and this one stays for as long as such a one has events of its own.
    func delete(on connection: Connection) throws {
        let row = try connection.first(
            """
            SELECT fence_id, start_epoch, start_seq, start_boot_order, start_mono_ms FROM visits
                WHERE device = ? AND visit_id = ?
            """, device, id
        ) {
            (
                fence: $0.optionalText(0), epoch: $0.optionalInt64(1),
                sequence: $0.optionalInt64(2), boot: $0.optionalInt64(3),
                uptime: $0.optionalInt64(4)
            )
        }
        guard let row else { return }
        try connection.run(
            """
            DELETE FROM visits AS v WHERE v.device = ? AND v.fence_id = ? AND NOT v.has_end
                AND \(Self.isBare) AND EXISTS (SELECT 1 FROM \(Self.this)
                    WHERE \(EventOrder.isLaterVisit("this", than: "v")))
            """, device, row.fence, row.epoch, row.sequence, row.boot, row.uptime)
        try keepBeginning(on: connection)
        try connection.run(
            """
            DELETE FROM visits AS v WHERE v.device = ? AND v.visit_id = ? AND \(Self.isBare)
                AND \(SQLiteServerStore.visitState) <> 'open' AND NOT \(Self.closesAnother)
            """, device, id)
        guard connection.changes == 1 else { return }
        // Later ones that stayed because of this one.
        try connection.run(
            """
            DELETE FROM visits AS v WHERE v.device = ? AND v.fence_id = ? AND v.has_end
                AND \(Self.isBare) AND EXISTS (SELECT 1 FROM \(Self.this)
                    WHERE \(EventOrder.isLaterVisit("v", than: "this")))
                AND NOT \(Self.closesAnother)
            """, device, row.fence, row.epoch, row.sequence, row.boot, row.uptime)
    }

    /// The visit itself, which is gone from the table.
    private static let this = """
        (SELECT ? AS start_epoch, ? AS start_seq, ? AS start_boot_order, ? AS start_mono_ms) this
        """

    /// The anchors that tell when it began may go with the events of their boot.
    private func keepBeginning(on connection: Connection) throws {
        let started = ResolvedTime.sql(
            utc: "v.start_ms", mono: "v.start_mono_ms", boot: "v.start_boot", device: "v.device")
        try connection.run(
            """
            UPDATE visits AS v SET start_ms = \(started)
                WHERE v.device = ? AND v.visit_id = ? AND v.start_ms IS NULL AND \(Self.isBare)
            """, device, id)
    }

    /// No event of it is left.
    private static let isBare = """
        NOT EXISTS (SELECT 1 FROM events e WHERE e.device = v.device AND e.visit_id = v.visit_id)
        """

    private static let closesAnother = """
        EXISTS (SELECT 1 FROM visits b WHERE b.device = v.device AND b.fence_id = v.fence_id
            AND NOT b.has_end AND \(EventOrder.isLaterVisit("v", than: "b")))
        """
}
