import SQLite

/// How a value lies in the table `state`: a long one packed, with room to spare.
///
/// The tracker's state is written with each event, and once a minute for as long as the device is inside
/// a fence. It says the same of each fence and gets shorter to a third or less. SQLite overwrites a row
/// of the same length where it lies; a row of another length gives its pages back and takes others, which
/// changes the list of free pages and the first page too, and the length changes each time.
struct StateRow {
    /// The content and the bytes behind it that fill its room.
    var stored: [UInt8]
    /// The content's digest; where there is padding, the content's length behind it, and that of the
    /// value where the content is that value packed.
    var digest: [UInt8]

    /// - Parameter room: of the value that this one replaces; nil: not known.
    init(_ value: [UInt8], replacing room: Int? = nil) {
        guard value.count >= Self.leastPadded else {
            stored = value
            digest = Digest.of(value)
            return
        }
        let packed = Packing.pack(value)
        stored = packed ?? value
        digest = Digest.of(stored) + Self.bytes(stored.count)
        if packed != nil { digest += Self.bytes(value.count) }
        let size = Self.room(for: stored.count, replacing: room)
        stored += repeatElement(0, count: size - stored.count)
    }

    /// Nil where it is no longer what was written.
    static func value(stored: [UInt8], digest: [UInt8]) -> [UInt8]? {
        let lengths = digest.dropFirst(Digest.byteCount)
        let length = lengths.isEmpty ? stored.count : number(lengths.prefix(lengthBytes))
        guard length <= stored.count else { return nil }
        let content = Array(stored.prefix(length))
        guard Digest.of(content) == Array(digest.prefix(Digest.byteCount)) else { return nil }
        switch lengths.count {
        case 0, lengthBytes: return content
        case 2 * lengthBytes:
            return Packing.unpack(content[...], count: number(lengths.suffix(lengthBytes)))
        default: return nil
        }
    }

    private static let lengthBytes = 4

    private static func bytes(_ length: Int) -> [UInt8] {
        let length = UInt32(clamping: length)
        return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }

    /// The bytes that a value takes: as many as the one before it had, unless it does not fit or
    /// would leave too much of it empty.
    static func room(for count: Int, replacing known: Int?) -> Int {
        if let known, count <= known, known - count <= Self.mostSpare { return known }
        return (count + Self.leastSpare + Self.step - 1) / Self.step * Self.step
    }

    /// Shorter ones lie in one page with others.
    private static let leastPadded = 256
    private static let leastSpare = 96
    private static let step = 256
    private static let mostSpare = 1024
}
