import Timekeeping

/// When clock anchors go in a batch without events.
struct AnchorSchedule: Hashable, Sendable {
    /// The server refuses batches without events until then; nil: it takes them.
    private var refusedUntil: Uptime?

    /// When the next one may go; nil: now.
    func blockedUntil(at now: Uptime) -> Uptime? {
        refusedUntil.flatMap { $0 > now ? $0 : nil }
    }

    /// The server does not want them alone. They go with the next event, too.
    mutating func refused(at now: Uptime) {
        refusedUntil = now.advanced(bySeconds: UploadPolicy.refusedAnchorsSeconds)
    }
}
