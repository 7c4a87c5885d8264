/// Reads what a `SnapshotWriter` wrote. Whatever the bytes are, it reads or throws.
public struct SnapshotReader: Sendable {
    /// Elements of an array, and bytes of a text, at most.
    public static let countLimit = 65_536

    private static let tallyLimit: Int64 = 1 << 53

    private let bytes: [UInt8]
    private var position = 0

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    public mutating func read<Value: Snapshotted>(
        _ type: Value.Type = Value.self
    ) throws(SnapshotError) -> Value {
        try Value(from: &self)
    }

    /// How often something was counted: from 0 to far less than what overflows.
    public mutating func readTally() throws(SnapshotError) -> Int {
        let count = try readNumber()
        guard (0...Self.tallyLimit).contains(count) else { throw .impossible("a tally") }
        return Int(clamping: count)
    }

    public mutating func readByte() throws(SnapshotError) -> UInt8 {
        guard position < bytes.count else { throw .endsEarly }
        defer { position += 1 }
        return bytes[position]
    }

    public mutating func readBits() throws(SnapshotError) -> UInt64 {
        guard bytes.count - position >= 8 else { throw .endsEarly }
        var result: UInt64 = 0
        for index in 0..<8 { result |= UInt64(bytes[position + index]) << UInt64(8 * index) }
        position += 8
        return result
    }

    /// Everything that is left.
    public var rest: [UInt8] { Array(bytes[position...]) }

    /// Throws where something is left.
    public func finish() throws(SnapshotError) {
        guard position == bytes.count else { throw .leftOver(bytes.count - position) }
    }

    mutating func readNumber() throws(SnapshotError) -> Int64 {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try readByte()
            guard shift < 63 || byte <= 1 else { throw .impossible("a number") }
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { break }
            shift += 7
        }
        return Int64(bitPattern: result >> 1) ^ -Int64(bitPattern: result & 1)
    }

    mutating func readCount() throws(SnapshotError) -> Int {
        let count = try readNumber()
        guard count >= 0, count <= Self.countLimit else { throw .impossible("a count") }
        return Int(count)
    }

    mutating func readSlice(_ count: Int) throws(SnapshotError) -> ArraySlice<UInt8> {
        guard bytes.count - position >= count else { throw .endsEarly }
        defer { position += count }
        return bytes[position..<(position + count)]
    }
}
