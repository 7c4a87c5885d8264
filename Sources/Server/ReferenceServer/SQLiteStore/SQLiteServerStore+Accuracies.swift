import Geodesy
import SQLite
import WireFormat

extension SQLiteServerStore {
    /// Newest events of a workspace that are looked at, and those at the fences that are read: every
    /// change of a fence costs so many.
    private static let lookedAtEvents = 10_000
    static let readAccuracies = 1_000

    public func accuracies(
        atFences ids: [String], of workspace: Int64
    ) throws(StoreError) -> [String: [Double]] {
        guard !ids.isEmpty else { return [:] }
        let marks = ids.map { _ in "?" }.joined(separator: ", ")
        let values: [any Bindable] =
            [workspace, Self.lookedAtEvents] + ids + [Self.readAccuracies]
        let bound = values.map(\.sqliteValue)
        let rows = try readers.read { connection in
            try connection.query(
                """
                SELECT e.fence_id, e.document FROM (SELECT id FROM events
                        INDEXED BY events_of_workspace WHERE workspace = ?
                        ORDER BY id DESC LIMIT ?) n
                    CROSS JOIN events e ON e.id = n.id
                    WHERE e.type IN ('enter', 'exit', 'dwell') AND e.fence_id IN (\(marks)) LIMIT ?
                """, values: bound
            ) { (fence: $0.text(0), document: $0.blob(1)) }
        }
        var result: [String: [Double]] = [:]
        for row in rows {
            guard
                let accuracy = try? JSONDocument(row.document).root.member("position")?
                    .member("accuracy_m"), accuracy.kind == .number,
                let meters = JSONNumber.double(String(decoding: accuracy.text, as: UTF8.self)),
                meters > 0, meters <= ErrorCircle.greatestAccuracyMeters
            else { continue }
            result[row.fence, default: []].append(meters)
        }
        return result
    }
}
