import Cryptography
import Delivery
import Timekeeping
import WireFormat

/// An event with its name, its place and its bytes, ready to be inserted.
struct PreparedEvent {
    var event: Event
    var id: UUIDBytes
    var payload: [UInt8]

    /// Names `draft` and writes it as JSON. A fix or evidence that JSON cannot hold (a number that
    /// is not finite) is left out: the event without them is worth more than none.
    init(
        _ draft: EventDraft, position: QueuePosition, deviceID: String, visitID: UUIDBytes?,
        id: UUIDBytes
    ) throws(QueueError) {
        self.id = id
        event = Event(
            clientEventID: id.text, position: position, visitID: visitID?.text, content: draft)
        if let bytes = try? WireEvent(event).text() {
            payload = bytes
            return
        }
        event.content.fix = nil
        event.content.evidence = nil
        do {
            payload = try WireEvent(event).text()
        } catch {
            throw .unencodable(detail: "\(draft.kind.rawValue) of fence \(draft.fenceID ?? "-")")
        }
    }
}
