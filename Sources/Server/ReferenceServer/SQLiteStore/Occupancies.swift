import Delivery
import SQLite

/// Who is inside which fence, as the events of one batch say: the latest event that has been seen
/// decides (`EventOrder`), in whatever order events arrive.
///
/// Where a batch goes in and out of a fence again and again only the last of it is written.
struct Occupancies {
    let device: Int64
    let connection: Connection
    /// The latest of each fence, not yet written.
    private var latest: [ExactText: Note] = [:]

    private struct Note {
        var isInside: Bool
        var place: EventPlace
    }

    init(device: Int64, connection: Connection) {
        self.device = device
        self.connection = connection
    }

    mutating func note(_ event: IncomingEvent, at place: EventPlace) throws {
        guard event.kind == .enter || event.kind == .exit, let fence = event.fenceID else { return }
        let name = ExactText(fence)
        if let known = latest[name] {
            if known.place.surelyFollows(place) { return }
            // Which of them counts the row has to say.
            if !place.surelyFollows(known.place) { try write(known, of: name) }
        }
        latest[name] = Note(isInside: event.kind == .enter, place: place)
    }

    /// Writes what is left, at the end of the batch.
    func write() throws {
        for (fence, note) in latest { try write(note, of: fence) }
    }

    private func write(_ note: Note, of fence: ExactText) throws {
        try connection.run(
            """
            INSERT INTO occupancy (device, fence_id, inside, epoch, seq, boot_order, mono_ms)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET inside = excluded.inside, epoch = excluded.epoch,
                    seq = excluded.seq, boot_order = excluded.boot_order,
                    mono_ms = excluded.mono_ms
                WHERE \(Self.isLater)
            """, device, fence.text, note.isInside, note.place.epochOrdinal, note.place.sequence,
            note.place.bootOrder, note.place.uptimeMilliseconds)
    }

    private static let isLater = EventOrder.isLater(
        EventOrder.columns(ofOccupancy: "excluded"),
        than: EventOrder.columns(ofOccupancy: "occupancy"))
}
