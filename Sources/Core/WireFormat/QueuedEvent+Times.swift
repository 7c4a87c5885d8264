import Delivery
import Timekeeping

extension QueuedEvent {
    /// The boot of an event that was made without knowing the time, which a clock anchor of that boot
    /// would give; nil: it has its times, or nothing can give them.
    public var untimedBoot: BootID? {
        // Looked for before it is read: nearly all events have their times. Inside a JSON string the
        // quote would be escaped.
        guard payload.firstOccurrence(of: Self.unknownTime) != nil,
            let event = try? WireCoding.decode(WireEvent.self, from: payload),
            event.occurredAt == nil || event.detectedAt == nil, event.monoMilliseconds != nil
        else { return nil }
        return BootID(event.bootID)
    }

    private static let unknownTime = Array(#"_at":null"#.utf8)
}
