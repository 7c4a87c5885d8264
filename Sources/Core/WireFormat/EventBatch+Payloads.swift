import Delivery
import Timekeeping

extension EventBatch {
    /// The body of a request for committed events. Their payloads are put in as they are, so that a
    /// retry sends the same bytes for the same event, whatever version of the program sends it.
    public static func encode(
        _ batch: OutgoingBatch, deviceID: String, sentAt: UTCTime
    ) throws -> [UInt8] {
        let envelope = try WireCoding.encode(
            EventBatch(
                batchID: batch.batchID, deviceID: deviceID, sentAt: sentAt,
                queue: Queue(
                    pending: batch.counts.pending, dead: batch.counts.dead,
                    oldest: batch.counts.oldest),
                clockAnchors: batch.clockAnchors, events: []))
        // Inside a JSON string the quotes would be escaped: these bytes stand for the member alone.
        let member = Array(#""events":[]"#.utf8)
        guard let start = envelope.firstOccurrence(of: member) else {
            throw WireError(pointer: "/events", detail: "missing in the envelope")
        }
        let gap = start + member.count - 1
        var body = Array(envelope[..<gap])
        body.reserveCapacity(
            envelope.count + batch.events.reduce(0) { $0 + $1.payload.count + 1 })
        for (index, event) in batch.events.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += event.payload
        }
        return body + envelope[gap...]
    }
}
