import Delivery
import Timekeeping
import WireFormat

/// The bytes of an event, as `WireCoding` writes them.
///
/// A million simulated runs make tens of millions of events, and those that rest on no fix are written
/// here in a tenth of the encoder's time; a test holds the bytes to the encoder's.
enum SimulatedPayload {
    static func bytes(of event: Event) throws -> [UInt8] {
        let content = event.content
        guard content.fix == nil, content.evidence == nil, content.evicted == nil,
            content.notification == .none, content.reason == nil, content.durationSeconds == nil,
            content.fenceVersion == nil, content.occurredUncertaintySeconds == 0,
            event.visitID == nil, content.occurred == content.detected, let fence = content.fenceID,
            isPlain(fence), isPlain(event.clientEventID)
        else { return try WireCoding.encode(WireEvent(event)) }
        let time = content.detected.utc.map { "\"\($0.rfc3339)\"" } ?? "null"
        let mono = content.detected.uptime.map { "\($0.milliseconds)" } ?? "null"
        var text = "{\"boot_id\":\"\(content.bootID.text)\""
        text += ",\"client_event_id\":\"\(event.clientEventID)\",\"detected_at\":\(time)"
        text += ",\"fence_id\":\"\(fence)\",\"inferred\":\(content.isInferred)"
        text += ",\"initial\":\(content.isInitial),\"mono_ms\":\(mono)"
        text += ",\"notification\":{\"decision\":\"none\"},\"occurred_at\":\(time)"
        text += ",\"queue_epoch\":\"\(event.position.epoch)\",\"seq\":\(event.position.sequence)"
        text += ",\"time_quality\":\"\(content.timeQuality.rawValue)\""
        text += ",\"type\":\"\(content.kind.rawValue)\""
        text += ",\"wall_at\":\"\(content.wallClock.time.rfc3339)\""
        text += ",\"wall_synchronised\":\(content.wallClock.isSynchronised)}"
        return Array(text.utf8)
    }

    /// Nothing in it needs an escape.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
    }
}
