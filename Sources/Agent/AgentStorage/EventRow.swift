import Delivery
import SQLite

/// What the table `events` holds of a new event.
struct EventRow {
    var sequence: Int64
    var kind: EventKind
    var id: UUIDBytes
    /// Of the payload and what names the event.
    var digest: [UInt8]
    /// Milliseconds since 1970.
    var madeAt: Int64
    /// As `EventPayload` says.
    var payload: [UInt8]

    /// A fix or evidence that JSON cannot hold (a number that is not finite) is taken out of `event`: it
    /// is worth more without them than none.
    init(_ event: inout Event, id: UUIDBytes) throws(QueueError) {
        let packed = try Self.pack(&event, id: id)
        sequence = event.position.sequence
        kind = event.content.kind
        self.id = id
        madeAt = event.content.wallClock.time.millisecondsSince1970
        payload = packed.bytes
        digest = packed.digest
    }

    private static func pack(
        _ event: inout Event, id: UUIDBytes
    ) throws(QueueError) -> EventPayload.Packed {
        if let packed = EventPayload.pack(event, id: id) { return packed }
        event.content.fix = nil
        event.content.evidence = nil
        if let packed = EventPayload.pack(event, id: id) { return packed }
        let fence = event.content.fenceID ?? "-"
        throw .unencodable(detail: "\(event.content.kind.rawValue) of fence \(fence)")
    }

    /// A statement that inserts so many rows.
    static func insertion(
        _ count: Int, on connection: Connection
    ) throws(SQLiteError) -> PreparedStatement {
        let rows = repeatElement("(?, ?, ?, ?, ?, ?)", count: count).joined(separator: ", ")
        return try connection.prepare(
            "INSERT INTO events(key, kind, event_id, digest, made_at, payload) VALUES \(rows)")
    }

    func bind(to values: inout ValueBinder) {
        values.add(sequence)
        values.add(kind.rawValue)
        values.add(id.bytes)
        values.add(digest)
        values.add(madeAt)
        values.add(payload)
    }
}
