import Delivery
import WireFormat

/// One line of `geofenced queue list`, `dead` and `export` with `--json`, schema
/// `geofenced.queued/1`.
public struct StoredEventReport: Codable, Sendable, Hashable {
    public static let schemaName = "geofenced.queued/1"

    public var schema = Self.schemaName
    /// pending | acknowledged | dead
    public var status: String
    /// For `dead`: what the server answered, `rejected` for this event alone, or the status of the
    /// whole request, `HTTP 422`.
    public var answer: String?
    /// For `dead`: the reason that the server gave; nil: none.
    public var reason: String?
    public var event: WireEvent

    /// Throws where the stored bytes are no event.
    public init(_ queued: QueuedEvent, anchors: [ClockAnchor] = []) throws(WireError) {
        status = queued.statusName
        event = try WireCoding.decode(WireEvent.self, from: queued.payload)
        event.resolveTimes(with: anchors)
        (answer, reason) = queued.answer
    }
}

extension QueuedEvent {
    /// pending | acknowledged | dead
    public var statusName: String {
        switch status {
        case .pending: "pending"
        case .acknowledged: "acknowledged"
        case .dead: "dead"
        }
    }

    /// What the server said for good: to this event, or to the request ("HTTP 422: invalid_event").
    public var answer: (answer: String?, reason: String?) {
        guard case .dead(let code) = status else { return (nil, nil) }
        guard code.hasPrefix("HTTP ") else { return ("rejected", code) }
        guard let colon = code.firstIndex(of: ":") else { return (code, nil) }
        return (
            String(code[..<colon]),
            String(code[code.index(after: colon)...].drop { $0 == " " })
        )
    }
}

extension QueuedEvent {
    /// A line of `geofenced queue export`: as a `StoredEventReport`, with the payload's own bytes for
    /// the event; nil: they are no event.
    public var exportLine: String? {
        guard let report = try? StoredEventReport(self),
            let envelope = try? WireCoding.encode(Envelope(report))
        else { return nil }
        // `event` is the first member; the braces of both are dropped.
        return #"{"event":\#(String(decoding: payload, as: UTF8.self)),"#
            + String(decoding: envelope.dropFirst(), as: UTF8.self)
    }

    private struct Envelope: Encodable {
        var answer: String?
        var reason: String?
        var schema: String
        var status: String

        init(_ report: StoredEventReport) {
            answer = report.answer
            reason = report.reason
            schema = report.schema
            status = report.status
        }
    }
}
