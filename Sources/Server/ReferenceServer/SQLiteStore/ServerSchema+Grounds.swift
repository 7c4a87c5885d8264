import Geodesy
import SQLite
import WireFormat

extension ServerSchema {
    /// Version 8. The spatial index is in memory: what it needs of each fence stands in an index
    /// that holds nothing else, and what changed is written down for those who have read before.
    static func addGrounds(to connection: Connection) throws(SQLiteError) {
        try connection.execute(
            """
            DROP TABLE fence_index;
            ALTER TABLE fences DROP COLUMN boxes;
            ALTER TABLE fences ADD COLUMN latitude REAL;
            ALTER TABLE fences ADD COLUMN longitude REAL;
            ALTER TABLE fences ADD COLUMN reach_m REAL;
            ALTER TABLE fences ADD COLUMN is_outline INTEGER;
            """)
        try fillGrounds(on: connection)
        try connection.execute(
            """
            CREATE INDEX fence_grounds ON fences (workspace, fence_id, tag, expires_ms, restricted,
                latitude, longitude, reach_m, is_outline);
            CREATE TABLE fence_changes (
                id INTEGER PRIMARY KEY AUTOINCREMENT, workspace INTEGER NOT NULL,
                fence INTEGER NOT NULL
            ) STRICT;
            CREATE TRIGGER fence_added AFTER INSERT ON fences BEGIN
                INSERT INTO fence_changes (workspace, fence) VALUES (new.workspace, new.id);
            END;
            CREATE TRIGGER fence_changed AFTER UPDATE ON fences BEGIN
                INSERT INTO fence_changes (workspace, fence) VALUES (new.workspace, new.id);
            END;
            CREATE TRIGGER fence_deleted AFTER DELETE ON fences BEGIN
                INSERT INTO fence_changes (workspace, fence) VALUES (old.workspace, old.id);
            END;
            """)
    }

    private static func fillGrounds(on connection: Connection) throws(SQLiteError) {
        var last: Int64 = 0
        while true {
            let page = try connection.query(
                "SELECT id, document FROM fences WHERE id > ? ORDER BY id LIMIT 1000", last
            ) { (rowID: $0.int64(0), document: $0.blob(1)) }
            guard let end = page.last?.rowID else { return }
            for row in page {
                // One that cannot be read was never found, and is not now.
                guard
                    let fence = try? WireCoding.decode(WireFence.self, from: row.document).fence(),
                    let ground = try? PreparedShape(fence.shape).ground
                else { continue }
                try connection.run(
                    """
                    UPDATE fences SET latitude = ?, longitude = ?, reach_m = ?, is_outline = ?
                        WHERE id = ?
                    """, ground.center.latitude, ground.center.longitude, ground.reachMeters,
                    ground.isOutline, row.rowID)
            }
            last = end
        }
    }
}
