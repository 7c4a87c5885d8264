import Synchronization
import Timekeeping
import WebServer
import WireFormat

/// Events as comma-separated values (RFC 4180), piece by piece.
///
/// Text that a spreadsheet would run as a formula (=, +, -, @, TAB and CR at its beginning) gets an
/// apostrophe in front.
struct EventTable: Sendable {
    /// Events that are looked at in one piece, whether they match or not.
    static let pieceSize = 500

    static let columns = [
        "receipt", "received_at", "device_id", "client_event_id", "type", "fence_id", "visit_id",
        "occurred_at", "detected_at", "time_source", "time_quality", "lat", "lon", "accuracy_m",
        "duration_s", "reason", "initial", "inferred", "decision", "decision_reason", "campaign_id",
        "server_notification_verdict", "queue_epoch", "seq", "time_flag",
    ]

    static func stream(
        _ filter: EventFilter, of workspace: Int64, from store: any ServerStore
    ) -> BodyStream {
        var first = filter
        first.limit = pieceSize
        let position = Mutex<(filter: EventFilter, begun: Bool, isOver: Bool)>(
            (first, false, false))
        return BodyStream {
            let (filter, begun, isOver) = position.withLock { $0 }
            if isOver { return nil }
            let (events, next) = try store.eventPiece(filter, of: workspace)
            position.withLock { position in
                position.begun = true
                position.filter.cursor = next
                position.isOver = next == nil
            }
            var text: [UInt8] = begun ? [] : Array(line(columns).utf8)
            for event in events { text += Array(line(try cells(event)).utf8) }
            return text
        }
    }

    private static func cells(_ event: StoredEvent) throws -> [String] {
        let wire = try WireCoding.decode(WireEvent.self, from: event.document)
        func number(_ value: Double?) -> String { value.map { "\($0)" } ?? "" }
        let source =
            event.occurredAt == nil ? "none" : event.cameWithoutOccurrence ? "anchor" : "device"
        return [
            String(event.receipt), event.receivedAt.rfc3339, harmless(event.deviceID),
            harmless(wire.clientEventID.text), wire.type, harmless(wire.fenceID?.text),
            harmless(wire.visitID?.text), event.occurredAt?.rfc3339 ?? "",
            event.detectedAt?.rfc3339 ?? "", source, harmless(wire.timeQuality),
            number(wire.position?.lat), number(wire.position?.lon),
            number(wire.position?.accuracyMeters), number(wire.durationSeconds),
            harmless(wire.reason), wire.initial ? "true" : "false",
            wire.inferred ? "true" : "false", harmless(wire.notification.decision),
            harmless(wire.notification.reason), harmless(wire.notification.campaignID?.text),
            event.verdict, harmless(wire.queueEpoch), String(wire.sequence),
            event.timeFlag?.rawValue ?? "",
        ]
    }

    /// Text that no spreadsheet takes for a formula.
    static func harmless(_ text: String?) -> String {
        guard let text, let first = text.utf8.first else { return "" }
        switch first {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 9, 13:
            return "'" + text
        default: return text
        }
    }

    static func line(_ cells: [String]) -> String {
        cells.map(quoted).joined(separator: ",") + "\r\n"
    }

    private static func quoted(_ cell: String) -> String {
        let needsQuotes = cell.utf8.contains { byte in
            byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == 10 || byte == 13
        }
        guard needsQuotes else { return cell }
        let doubled = cell.split(separator: "\"", omittingEmptySubsequences: false)
        return "\"" + doubled.joined(separator: "\"\"") + "\""
    }
}
