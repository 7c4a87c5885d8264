import Delivery
import SQLite
import WireFormat

/// What the table `events` holds of a new event.
struct EventRow {
    var sequence: Int64
    var kind: EventKind
    var id: UUIDBytes
    /// The digest of `payload`.
    var digest: [UInt8]
    /// Milliseconds since 1970.
    var madeAt: Int64
    /// As `PackedPayload` says.
    var payload: [UInt8]

    /// Writes `event` as JSON. A fix or evidence that JSON cannot hold (a number that is not finite) is
    /// taken out of it: the event without them is worth more than none.
    init(_ event: inout Event, id: UUIDBytes) throws(QueueError) {
        sequence = event.position.sequence
        kind = event.content.kind
        self.id = id
        madeAt = event.content.wallClock.time.millisecondsSince1970
        payload = PackedPayload.pack(try Self.json(&event))
        digest = Digest.of(payload)
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

    private static func json(_ event: inout Event) throws(QueueError) -> [UInt8] {
        if let bytes = try? WireEvent(event).text() { return bytes }
        event.content.fix = nil
        event.content.evidence = nil
        do { return try WireEvent(event).text() } catch {
            let fence = event.content.fenceID ?? "-"
            throw .unencodable(detail: "\(event.content.kind.rawValue) of fence \(fence)")
        }
    }
}
