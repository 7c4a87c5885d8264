import Delivery
import SQLite

/// What the table `events` holds of new events.
///
/// Their bytes lie behind one another in one buffer, from which they are bound: an array for each value of
/// a row took as long as to insert it.
struct EventRows {
    private var rows: [Row] = []
    /// Of each row its id, its digest, and its payload as `EventPayload` says.
    private var bytes: [UInt8] = []

    private struct Row {
        var sequence: Int64
        var kind: EventKind
        /// Milliseconds since 1970.
        var madeAt: Int64
        /// Where its bytes end.
        var end: Int
    }

    /// Of a row with what it has of a usual event.
    private static let usualBytes = 192

    mutating func reserveCapacity(_ count: Int) {
        rows.reserveCapacity(count)
        bytes.reserveCapacity(count * Self.usualBytes)
    }

    /// A fix or evidence that JSON cannot hold (a number that is not finite) is taken out of `event`: it
    /// is worth more without them than none.
    mutating func append(_ event: inout Event, id: UUIDBytes) throws(QueueError) {
        if !EventPayload.append(event, id: id, to: &bytes) {
            event.content.fix = nil
            event.content.evidence = nil
            guard EventPayload.append(event, id: id, to: &bytes) else {
                let fence = event.content.fenceID ?? "-"
                throw .unencodable(detail: "\(event.content.kind.rawValue) of fence \(fence)")
            }
        }
        rows.append(
            Row(
                sequence: event.position.sequence, kind: event.content.kind,
                madeAt: event.content.wallClock.time.millisecondsSince1970, end: bytes.count))
    }

    // MARK: Insertion

    /// A statement that inserts so many rows.
    static func insertion(
        _ count: Int, on connection: Connection
    ) throws(SQLiteError) -> PreparedStatement {
        let rows = repeatElement("(?, ?, ?, ?, ?, ?)", count: count).joined(separator: ", ")
        return try connection.prepare(
            "INSERT INTO events(key, kind, event_id, digest, made_at, payload) VALUES \(rows)")
    }

    /// Inserts the rows, by lots of `size` as far as they go.
    func insert(
        _ single: PreparedStatement, _ lot: PreparedStatement, of size: Int,
        on connection: Connection
    ) throws(SQLiteError) {
        let result = bytes.withUnsafeBytes { bytes -> Result<Void, SQLiteError> in
            do throws(SQLiteError) {
                var next = 0
                while next < rows.count {
                    let isLot = rows.count - next >= size
                    let end = next + (isLot ? size : 1)
                    try connection.run(isLot ? lot : single) {
                        for index in next..<end { bind(index, of: bytes, to: &$0) }
                    }
                    next = end
                }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    private func bind(
        _ index: Int, of bytes: UnsafeRawBufferPointer, to values: inout ValueBinder
    ) {
        let row = rows[index]
        let start = index > 0 ? rows[index - 1].end : 0
        let digest = start + UUIDBytes.count
        let payload = digest + Digest.byteCount
        values.add(row.sequence)
        values.add(row.kind.rawValue)
        values.add(lasting: UnsafeRawBufferPointer(rebasing: bytes[start..<digest]))
        values.add(lasting: UnsafeRawBufferPointer(rebasing: bytes[digest..<payload]))
        values.add(row.madeAt)
        values.add(lasting: UnsafeRawBufferPointer(rebasing: bytes[payload..<row.end]))
    }
}
