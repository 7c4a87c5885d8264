import SQLite

/// How a value lies in the table `state`: a long one with room to spare.
///
/// SQLite overwrites a row of the same length where it lies, and writes only those of its pages that
/// differ. A row of another length gives its pages back and takes others, which changes the list of
/// free pages and the first page too. The tracker's state is written once a minute for as long as the
/// device is inside a fence, and its length changes by a few digits each time.
struct StateRow {
    /// The value and the bytes behind it that fill its room.
    var stored: [UInt8]
    /// The value's digest; where there is padding, the value's length behind it.
    var digest: [UInt8]

    /// - Parameter room: of the value that this one replaces; nil: not known.
    init(_ value: [UInt8], replacing room: Int? = nil) {
        digest = Digest.of(value)
        stored = value
        guard value.count >= Self.leastPadded else { return }
        let size = Self.room(for: value.count, replacing: room)
        stored.reserveCapacity(size)
        stored.append(contentsOf: repeatElement(0, count: size - value.count))
        let length = UInt32(clamping: value.count)
        digest += (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) }
    }

    /// Nil where it is no longer what was written.
    static func value(stored: [UInt8], digest: [UInt8]) -> [UInt8]? {
        let length =
            digest.count == Digest.byteCount + 4
            ? digest[Digest.byteCount...].reduce(0) { $0 << 8 | Int($1) } : stored.count
        guard length <= stored.count else { return nil }
        let value = Array(stored.prefix(length))
        return Digest.of(value) == Array(digest.prefix(Digest.byteCount)) ? value : nil
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
