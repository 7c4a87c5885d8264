/// Writes values one after the other: whole numbers in as few bytes as they need, others in full.
public struct SnapshotWriter: Sendable {
    public private(set) var bytes: [UInt8] = []

    public init(reserving capacity: Int = 8192) {
        bytes.reserveCapacity(capacity)
    }

    public mutating func write(_ value: some Snapshotted) {
        value.write(to: &self)
    }

    public mutating func write(byte: UInt8) {
        bytes.append(byte)
    }

    /// Eight bytes, the least significant first.
    public mutating func write(bits: UInt64) {
        withUnsafeBytes(of: bits.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Seven bits a byte; small numbers of either sign are short.
    mutating func write(number: Int64) {
        var rest = UInt64(bitPattern: (number << 1) ^ (number >> 63))
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func write(contentsOf text: some Collection<UInt8>) {
        bytes.append(contentsOf: text)
    }
}
