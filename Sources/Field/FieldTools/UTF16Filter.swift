/// Turns UTF-16 with a byte order mark, as some Windows tools save logs, into bytes; anything else
/// passes unchanged. What is not ASCII becomes a substitute.
///
/// The result does not depend on how the bytes are cut into pieces.
struct UTF16Filter {
    private enum Encoding {
        case undecided(first: UInt8?)
        case bytes
        case littleEndian
        case bigEndian
    }

    private let substitute: UInt8
    private var encoding = Encoding.undecided(first: nil)
    /// The first byte of a unit whose second has not come yet.
    private var half: UInt8?
    private var converted: [UInt8] = []

    /// By default the substitute is 0x1A, which no sentence can hold.
    init(substitute: UInt8 = 0x1A) {
        self.substitute = substitute
    }

    /// Hands on the bytes, converted where needed.
    mutating func pass(
        _ bytes: UnsafeRawBufferPointer, to consume: (UnsafeRawBufferPointer) -> Void
    ) {
        var rest = bytes
        if case .undecided(let first) = encoding { rest = decide(first, bytes, consume) }
        switch encoding {
        case .undecided: break
        case .bytes: if !rest.isEmpty { consume(rest) }
        case .littleEndian: convert(rest, highByte: 1, consume)
        case .bigEndian: convert(rest, highByte: 0, consume)
        }
    }

    /// The input is over: hands on what was waiting for a second byte.
    mutating func finish(to consume: (UnsafeRawBufferPointer) -> Void) {
        guard case .undecided(let first?) = encoding else { return }
        withUnsafeBytes(of: first, consume)
    }

    /// Looks at the first two bytes; returns what of `bytes` stands behind the mark.
    private mutating func decide(
        _ known: UInt8?, _ bytes: UnsafeRawBufferPointer,
        _ consume: (UnsafeRawBufferPointer) -> Void
    ) -> UnsafeRawBufferPointer {
        let needed = known == nil ? 2 : 1
        guard bytes.count >= needed else {
            if let only = bytes.first { encoding = .undecided(first: only) }
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        switch (known ?? bytes[0], bytes[needed - 1]) {
        case (0xFF, 0xFE): encoding = .littleEndian
        case (0xFE, 0xFF): encoding = .bigEndian
        default:
            encoding = .bytes
            if let known { withUnsafeBytes(of: known, consume) }
            return bytes
        }
        return UnsafeRawBufferPointer(rebasing: bytes[needed...])
    }

    private mutating func convert(
        _ bytes: UnsafeRawBufferPointer, highByte: Int,
        _ consume: (UnsafeRawBufferPointer) -> Void
    ) {
        converted.removeAll(keepingCapacity: true)
        for byte in bytes {
            guard let first = half else {
                half = byte
                continue
            }
            half = nil
            let (low, high) = highByte == 1 ? (first, byte) : (byte, first)
            converted.append(high == 0 && low < 0x80 ? low : substitute)
        }
        if !converted.isEmpty { converted.withUnsafeBytes(consume) }
    }
}
