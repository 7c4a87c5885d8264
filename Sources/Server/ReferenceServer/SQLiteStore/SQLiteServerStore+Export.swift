import SQLite
import Timekeeping

/// What is kept of a device beside its events and visits.
extension SQLiteServerStore {
    public func anchors(
        ofDevice device: String, of workspace: Int64, after last: StoredAnchor?, limit: Int
    ) throws(StoreError) -> [StoredAnchor] {
        try readers.read { connection in
            guard let row = try Self.deviceRow(device, of: workspace, on: connection) else {
                return []
            }
            return try connection.query(
                """
                SELECT boot_id, mono_ms, utc_ms, source FROM anchors
                    WHERE device = ? AND (boot_id, mono_ms) > (?, ?)
                    ORDER BY boot_id, mono_ms LIMIT ?
                """, row, last?.bootID ?? "", last?.monoMilliseconds ?? Int64.min, limit
            ) {
                StoredAnchor(
                    bootID: $0.text(0), monoMilliseconds: $0.int64(1), utc: $0.time(2),
                    source: $0.text(3))
            }
        }
    }

    public func claimPiece(
        ofDevice device: String, of workspace: Int64, after event: Int64?, limit: Int
    ) throws(StoreError) -> (claims: [StoredClaim], next: Int64?) {
        try readers.read { connection in
            let row = try Self.deviceRow(device, of: workspace, on: connection)
            let looked = try connection.query(
                """
                SELECT c.event, c.fence_id, c.campaign_id, c.occurred_ms,
                    (SELECT e.device FROM events e WHERE e.id = c.event)
                    FROM notification_claims c WHERE c.event > ? ORDER BY c.event LIMIT ?
                """, event ?? 0, limit
            ) {
                (
                    claim: StoredClaim(
                        receipt: $0.int64(0), fenceID: $0.text(1), campaignID: $0.text(2),
                        occurredAt: $0.time(3)), device: $0.optionalInt64(4)
                )
            }
            let own = looked.filter { row != nil && $0.device == row }.map(\.claim)
            return (own, looked.count == limit ? looked.last?.claim.receipt : nil)
        }
    }
}
