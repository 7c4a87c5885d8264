import Delivery
import SQLite

/// What one accepted event says about visits: one is put together under its id, in whatever order its
/// events arrive.
struct VisitProjection {
    let workspace: Int64
    let device: Int64
    /// Of the event.
    let place: EventPlace
    let connection: Connection

    func apply(_ event: IncomingEvent) throws {
        switch event.kind {
        case .visitStarted: try start(event)
        case .visitEnded: try end(event)
        case .enter, .exit, .dwell, .pass, .coverageLost, .coverageRestored, .queueEvicted,
            .stateReset, .moved:
            break
        }
    }

    private func start(_ event: IncomingEvent) throws {
        guard let visit = event.visitID else { return }
        try connection.run(
            """
            INSERT INTO visits (workspace, device, visit_id, fence_id, has_start, start_ms,
                start_mono_ms, start_boot, start_boot_order, start_epoch, start_seq, inferred)
                VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET has_start = 1, start_ms = excluded.start_ms,
                    fence_id = coalesce(excluded.fence_id, fence_id),
                    start_mono_ms = excluded.start_mono_ms, start_boot = excluded.start_boot,
                    start_boot_order = excluded.start_boot_order,
                    start_epoch = excluded.start_epoch, start_seq = excluded.start_seq,
                    inferred = max(inferred, excluded.inferred)
            """, workspace, device, visit, event.fenceID, event.occurredAt?.millisecondsSince1970,
            event.occurredMonoMilliseconds, event.bootID, place.bootOrder, place.epochOrdinal,
            place.sequence, event.isInferred)
    }

    private func end(_ event: IncomingEvent) throws {
        guard let visit = event.visitID else { return }
        try connection.run(
            """
            INSERT INTO visits (workspace, device, visit_id, fence_id, has_end, end_ms,
                end_mono_ms, end_boot, duration_s, end_reason, inferred)
                VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET has_end = 1, end_ms = excluded.end_ms,
                    fence_id = coalesce(fence_id, excluded.fence_id),
                    end_mono_ms = excluded.end_mono_ms, end_boot = excluded.end_boot,
                    duration_s = excluded.duration_s, end_reason = excluded.end_reason,
                    inferred = max(inferred, excluded.inferred)
            """, workspace, device, visit, event.fenceID, event.occurredAt?.millisecondsSince1970,
            event.occurredMonoMilliseconds, event.bootID, event.durationSeconds, event.reason,
            event.isInferred)
    }
}
