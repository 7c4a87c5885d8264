import Cryptography
import Delivery
import WireFormat

/// What an event has that is sent, as it lies in its row: its values, from which its JSON is written
/// again.
///
/// The first byte is the version; payloads of version 1, and those without one, are JSON
/// (`PackedPayload`). The digest of a payload also covers what names the event, which stands in other columns.
enum EventPayload {
    private static let version: UInt8 = 2
    /// With room to spare; a longer one takes another try.
    private static let usualBytes = 1024

    // MARK: Writing

    /// Appends the id of an event, the digest, and the payload. False for an event with a number that
    /// JSON cannot hold, of which nothing is appended.
    static func append(_ event: Event, id: UUIDBytes, to stored: inout [UInt8]) -> Bool {
        var room = usualBytes
        while true {
            let outcome = withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) {
                append(event, id: id, to: &stored, through: $0)
            }
            switch outcome {
            case .appended: return true
            case .notFinite: return false
            case .isFull: room *= 2
            }
        }
    }

    private enum Outcome {
        case appended
        case notFinite
        case isFull
    }

    private static func append(
        _ event: Event, id: UUIDBytes, to stored: inout [UInt8],
        through buffer: UnsafeMutableRawBufferPointer
    ) -> Outcome {
        var writer = PayloadWriter(buffer)
        writer.add(byte: version)
        event.write(to: &writer)
        let end = writer.count
        // The rest of what the digest covers.
        writer.add(fixed: id.front.bigEndian)
        writer.add(fixed: id.back.bigEndian)
        writer.add(fixed: UInt64(bitPattern: event.position.sequence))
        writer.add(bytesOf: event.position.epoch)
        if writer.hasFailed { return .notFinite }
        if writer.isFull { return .isFull }
        let written = UnsafeRawBufferPointer(rebasing: buffer[..<writer.count])
        stored += written[end..<end + UUIDBytes.count]
        Digest.append(of: written, to: &stored)
        stored += written[..<end]
        return .appended
    }

    // MARK: Reading

    /// The digest of a stored payload and of what names its event; that of version 1 is in its text.
    static func digest(_ stored: [UInt8], id: [UInt8], position: QueuePosition) -> [UInt8] {
        guard stored.first == version else { return Digest.of(stored) }
        var covered = stored + id
        withUnsafeBytes(of: position.sequence.littleEndian) { covered += $0 }
        covered += position.epoch.utf8
        return Digest.of(covered)
    }

    /// The JSON that was sent first or will be, byte for byte. Nil for bytes that are no payload, or that
    /// of an event of another kind.
    static func json(
        _ stored: [UInt8], kind: EventKind, clientEventID: String, position: QueuePosition
    ) -> [UInt8]? {
        guard stored.first == version else { return PackedPayload.unpack(stored) }
        var reader = PayloadReader(stored.dropFirst())
        guard
            let event = try? Event(
                from: &reader, clientEventID: clientEventID, position: position),
            reader.isAtEnd, event.content.kind == kind
        else { return nil }
        return try? WireEvent(event).text()
    }
}
