import Campaigns
import Cryptography
import Delivery
import Geodesy
import WireFormat

/// Takes out of one event what the server orders, counts and derives by.
enum ReceivedEvent {
    /// Bytes of one event.
    static let documentLimit = 16_384

    /// Milliseconds of uptime, or since 1970: 3,000 years either way. Negative uptimes are those of
    /// an earlier boot on the scale of the present one.
    static let milliseconds: ClosedRange<Int64> = -100_000_000_000_000...100_000_000_000_000
    /// Numbers that JSON carries exactly everywhere.
    static let sequences: ClosedRange<Int64> = 1...9_007_199_254_740_991

    /// Why an event is refused, as the `code` of its result.
    struct Refusal: Error {
        var code: String

        static let invalid = Refusal(code: "invalid_event")
        static let unknownType = Refusal(code: "unknown_type")
        /// A number that no device can have.
        static let outOfRange = Refusal(code: "out_of_range")
        static let tooLarge = Refusal(code: "event_too_large")
    }

    /// An odd time is no reason to refuse, and none is looked at here.
    static func read(_ node: JSONNode, id: String) throws(Refusal) -> IncomingEvent {
        guard node.text.count <= documentLimit else { throw .tooLarge }
        let document = node.canonical
        guard let event = wireEvent(node, document: document),
            event.sequence >= 1, isName(event.queueEpoch), isName(event.bootID),
            isShort(event.fenceID?.text), isShort(event.visitID?.text),
            event.position.map({ Coordinate(latitude: $0.lat, longitude: $0.lon) != nil }) ?? true,
            let hash = try? SHA256.digest(of: document)
        else { throw .invalid }
        guard let kind = EventKind(rawValue: event.type) else { throw .unknownType }
        guard sequences.contains(event.sequence), isPossible(event.monoMilliseconds),
            isPossible(event.occurredMonoMilliseconds)
        else { throw .outOfRange }
        return IncomingEvent(
            clientEventID: id, payloadHash: hash, queueEpoch: event.queueEpoch,
            sequence: event.sequence, bootID: event.bootID, kind: kind,
            fenceID: event.fenceID?.text, visitID: event.visitID?.text,
            occurredAt: event.occurredAt?.time,
            occurredMonoMilliseconds: event.occurredMonoMilliseconds ?? event.monoMilliseconds,
            detectedAt: event.detectedAt?.time, monoMilliseconds: event.monoMilliseconds,
            durationSeconds: event.durationSeconds, isInferred: event.inferred,
            reason: event.reason, notification: notification(event.notification),
            document: document)
    }

    /// Nil for what is no event of the wire.
    private static func wireEvent(_ node: JSONNode, document: [UInt8]) -> WireEvent? {
        WireEvent(plain: node) ?? (try? WireCoding.decode(WireEvent.self, from: document))
    }

    /// A decision that is none of ours is none.
    private static func notification(_ wire: WireNotification) -> NotificationDecision {
        guard let outcome = NotificationDecision.Outcome(rawValue: wire.decision) else {
            return .none
        }
        return NotificationDecision(
            outcome: outcome, reason: wire.reason, campaignID: wire.campaignID?.text,
            campaignVersion: wire.campaignVersion)
    }

    private static func isPossible(_ value: Int64?) -> Bool {
        value.map(milliseconds.contains) ?? true
    }

    static func isName(_ text: String) -> Bool {
        hasLength(text, in: 1...64)
    }

    private static func isShort(_ text: String?) -> Bool {
        text.map { hasLength($0, in: FenceCheck.idLength) } ?? true
    }

    /// Whether a text has so many code points. It has no more of them than bytes, which are counted
    /// already.
    static func hasLength(_ text: String, in range: ClosedRange<Int>) -> Bool {
        if range.lowerBound <= 1, text.utf8.count <= range.upperBound {
            return text.utf8.count >= range.lowerBound
        }
        return range.contains(text.unicodeScalars.count)
    }
}
