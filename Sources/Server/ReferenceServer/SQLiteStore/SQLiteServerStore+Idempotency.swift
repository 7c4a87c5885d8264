import SQLite
import Timekeeping
import WebServer

extension SQLiteServerStore {
    public func reserveAnswer(
        _ key: String, hash: [UInt8], in workspace: Int64, now: UTCTime
    ) throws(StoreError) -> KeptAnswer? {
        try writer.write { connection in
            let kept = try connection.first(
                """
                SELECT hash, status, content_type, body FROM kept_answers
                    WHERE workspace = ? AND key = ? AND created_ms > ?
                """, workspace, key,
                now.advanced(byMilliseconds: -Idempotency.keptHours * 3_600_000)
                    .millisecondsSince1970
            ) { row in
                KeptAnswer(
                    hash: row.blob(0),
                    response: row.optionalInt(1).map {
                        Response(
                            status: $0, headers: ["Content-Type": row.text(2)], body: row.blob(3))
                    })
            }
            if let kept { return kept }
            try connection.run(
                """
                INSERT INTO kept_answers (workspace, key, hash, created_ms) VALUES (?, ?, ?, ?)
                    ON CONFLICT DO UPDATE SET hash = excluded.hash, status = NULL,
                        created_ms = excluded.created_ms, content_type = NULL, body = NULL
                """, workspace, key, hash, now.millisecondsSince1970)
            return nil
        }
    }

    public func keepAnswer(
        _ response: Response, for key: String, in workspace: Int64
    ) throws(StoreError) {
        try writer.write { connection in
            try connection.run(
                """
                UPDATE kept_answers SET status = ?, content_type = ?, body = ?
                    WHERE workspace = ? AND key = ?
                """, response.status, response.headers["Content-Type"] ?? "application/json",
                response.body, workspace, key)
        }
    }

    public func forgetAnswer(_ key: String, in workspace: Int64) throws(StoreError) {
        try writer.write { connection in
            try connection.run(
                "DELETE FROM kept_answers WHERE workspace = ? AND key = ?", workspace, key)
        }
    }
}
