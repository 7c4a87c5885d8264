import Snapshots
import Timekeeping
import WireFormat

/// What one slot of a `SnapshotStore` holds: a snapshot, and to what it belongs.
struct SnapshotFile {
    private static let mark = "geofenced snapshot"

    /// Names the commit of the queue that has everything which was decided before.
    var token: String
    /// The snapshot itself.
    var content: [UInt8]

    /// `content` is what `snapshot` writes.
    static func bytes(of snapshot: PipelineSnapshot, token: String, bootID: BootID) -> [UInt8] {
        var writer = SnapshotWriter()
        writer.write(mark)
        writer.write(ProjectVersion.current)
        writer.write(bootID.text)
        writer.write(token)
        writer.write(snapshot)
        return sealed(writer.bytes)
    }

    /// The bytes with their checksum.
    static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        let sum = checksum(of: bytes[...])
        return bytes + (0..<8).map { UInt8(truncatingIfNeeded: sum >> UInt64(8 * $0)) }
    }

    /// Nil where the bytes are damaged, of another version or of another boot.
    init?(_ bytes: [UInt8], bootID: BootID) {
        guard bytes.count > 8 else { return nil }
        let body = bytes.dropLast(8)
        var tail = SnapshotReader(Array(bytes.suffix(8)))
        var reader = SnapshotReader(Array(body))
        guard (try? tail.readBits()) == Self.checksum(of: body),
            (try? reader.read(String.self)) == Self.mark,
            (try? reader.read(String.self)) == ProjectVersion.current,
            (try? reader.read(String.self)) == bootID.text,
            let token = try? reader.read(String.self)
        else { return nil }
        self.token = token
        content = reader.rest
    }

    /// FNV-1a over words of eight bytes and over what is left.
    private static func checksum(of bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.withUnsafeBytes { buffer in
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            var place = 0
            while buffer.count - place >= 8 {
                let word = buffer.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                hash = (hash ^ UInt64(littleEndian: word)) &* 0x100_0000_01b3
                hash ^= hash >> 32
                place += 8
            }
            while place < buffer.count {
                hash = (hash ^ UInt64(buffer[place])) &* 0x100_0000_01b3
                place += 1
            }
            return hash
        }
    }
}
