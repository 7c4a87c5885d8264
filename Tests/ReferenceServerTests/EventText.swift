/// Wire events as text, so that tests see what devices send.
struct EventText {
    var id: String
    var type = "enter"
    var epoch = "00112233445566778899aabbccddeeff"
    var sequence = 1
    var boot = "boot-1"
    var fence: String? = "depot"
    var visit: String?
    var occurredAt: String? = "2026-01-31T12:00:00.000Z"
    var mono: Int? = 60_000
    var occurredMono: Int?
    var duration: Double?
    var notification = "{\"decision\": \"none\"}"
    var extra = ""

    init(_ id: String) {
        self.id = id
    }

    static func numbered(_ sequence: Int, _ type: String = "enter") -> EventText {
        var event = EventText("e-\(sequence)")
        event.sequence = sequence
        event.type = type
        return event
    }

    var json: String {
        func quoted(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "null" }
        return """
            {"client_event_id": "\(id)", "queue_epoch": "\(epoch)", "seq": \(sequence),
             "boot_id": "\(boot)", "type": "\(type)", "fence_id": \(quoted(fence)),
             "visit_id": \(quoted(visit)), "occurred_at": \(quoted(occurredAt)),
             "occurred_mono_ms": \(occurredMono.map { String($0) } ?? "null"),
             "detected_at": \(quoted(occurredAt)), "mono_ms": \(mono.map { String($0) } ?? "null"),
             "wall_at": "2026-01-31T12:00:00Z", "wall_synchronised": true,
             "time_quality": "gnss", "initial": false, "inferred": false,
             "duration_s": \(duration.map { String($0) } ?? "null"),
             "notification": \(notification)\(extra)}
            """
    }
}
