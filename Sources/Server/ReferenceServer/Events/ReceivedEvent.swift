import Cryptography
import Delivery
import Geodesy
import WireFormat

/// Takes out of one event what the server orders, counts and derives by.
enum ReceivedEvent {
    /// Bytes of one event.
    static let documentLimit = 16_384

    /// Why an event is refused, as the `code` of its result.
    struct Refusal: Error {
        var code: String

        static let invalid = Refusal(code: "invalid_event")
        static let unknownType = Refusal(code: "unknown_type")
        static let tooLarge = Refusal(code: "event_too_large")
    }

    /// An odd time is no reason to refuse, and none is looked at here.
    static func read(_ node: JSONNode, id: String) throws(Refusal) -> IncomingEvent {
        guard node.text.count <= documentLimit else { throw .tooLarge }
        let document = node.canonical
        guard let event = try? WireCoding.decode(WireEvent.self, from: document),
            event.sequence >= 1, isName(event.queueEpoch), isName(event.bootID),
            isShort(event.fenceID?.text), isShort(event.visitID?.text),
            event.position.map({ Coordinate(latitude: $0.lat, longitude: $0.lon) != nil }) ?? true,
            let hash = try? SHA256.digest(of: document)
        else { throw .invalid }
        guard let kind = EventKind(rawValue: event.type) else { throw .unknownType }
        return IncomingEvent(
            clientEventID: id, payloadHash: hash, queueEpoch: event.queueEpoch,
            sequence: event.sequence, bootID: event.bootID, kind: kind,
            fenceID: event.fenceID?.text, visitID: event.visitID?.text,
            occurredAt: event.occurredAt?.time,
            occurredMonoMilliseconds: event.occurredMonoMilliseconds ?? event.monoMilliseconds,
            detectedAt: event.detectedAt?.time, monoMilliseconds: event.monoMilliseconds,
            durationSeconds: event.durationSeconds, isInferred: event.inferred,
            reason: event.reason, document: document)
    }

    private static func isName(_ text: String) -> Bool { (1...64).contains(text.utf8.count) }

    private static func isShort(_ text: String?) -> Bool {
        text.map { (1...128).contains($0.utf8.count) } ?? true
    }
}
