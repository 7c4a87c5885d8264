/// Writes the values of an event behind one another, as `PayloadReader` reads them.
///
/// A whole number takes as few bytes as it needs: seven bits in each, low ones first, the eighth says
/// that more follow; the sign is the lowest bit. What is yes or no, and whether an optional value is there,
/// are bits of a byte that stands where the first of its eight is asked for.
struct PayloadWriter {
    private let output: UnsafeMutableRawBufferPointer
    private(set) var count = 0
    /// There was more than fits: what is there is of no use.
    private(set) var isFull = false
    /// There was something that cannot be stored: a number that is not finite.
    private(set) var hasFailed = false
    /// Where the byte of flags is that is being filled, and how many are in it.
    private var flags = (place: 0, count: 8)

    /// Writes to `output`, from its front.
    init(_ output: UnsafeMutableRawBufferPointer) {
        self.output = output
    }

    // MARK: Pieces

    mutating func add(byte: UInt8) {
        guard count < output.count else { return isFull = true }
        output[count] = byte
        count += 1
    }

    mutating func add(flag: Bool) {
        if flags.count == 8 {
            flags = (count, 0)
            add(byte: 0)
        }
        if flag, flags.place < count { output[flags.place] |= 1 << UInt8(flags.count) }
        flags.count += 1
    }

    mutating func add(bits number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            add(byte: UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        add(byte: UInt8(truncatingIfNeeded: rest))
    }

    mutating func add(_ number: Int64) {
        add(bits: UInt64(bitPattern: number << 1 ^ number >> 63))
    }

    /// As its distance from a number that the reader knows by then.
    mutating func add(_ number: Int64, from base: Int64) {
        add(number &- base)
    }

    mutating func add(_ number: Double) {
        guard number.isFinite else { return hasFailed = true }
        if let scaled = ScaledNumber(number) { return add(bits: scaled.bits) }
        add(bits: ScaledNumber.isUnscaled)
        add(fixed: number.bitPattern)
    }

    mutating func add(fixed number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { copy($0) }
    }

    mutating func add(_ string: String) {
        var string = string
        string.withUTF8 {
            add(bits: UInt64($0.count))
            copy(UnsafeRawBufferPointer($0))
        }
    }

    mutating func add(bytesOf string: String) {
        var string = string
        string.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
    }

    private mutating func copy(_ bytes: UnsafeRawBufferPointer) {
        guard output.count - count >= bytes.count else { return isFull = true }
        UnsafeMutableRawBufferPointer(rebasing: output[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    // MARK: Kinds of strings

    /// A string that may be 16 bytes in hexadecimal digits, and is written as these then.
    mutating func add(id: String) {
        var id = id
        id.withUTF8 { text in
            if let (bytes, form) = PayloadID.bytes(text) {
                add(bits: form.rawValue)
                add(fixed: bytes.front.bigEndian)
                add(fixed: bytes.back.bigEndian)
            } else {
                add(bits: UInt64(text.count) + PayloadID.formCount)
                copy(UnsafeRawBufferPointer(text))
            }
        }
    }

    /// A string that may be one of those that are known to the reader.
    mutating func add(word: String) {
        if let number = PayloadWord.number(word) { return add(bits: number) }
        add(bits: PayloadWord.isOther)
        add(word)
    }

    mutating func add<Case: StoredCase>(_ value: Case) {
        guard let place = Case.stored.firstIndex(of: value) else { return hasFailed = true }
        add(bits: UInt64(place))
    }

    // MARK: Optional values

    mutating func add<Value>(_ value: Value?, _ write: (inout PayloadWriter, Value) -> Void) {
        add(flag: value != nil)
        if let value { write(&self, value) }
    }

    mutating func add(_ number: Int?) { add(number) { $0.add(Int64($1)) } }

    mutating func add(_ number: Double?) { add(number) { $0.add($1) } }

    mutating func add(_ string: String?) { add(string) { $0.add($1) } }

    mutating func add(id: String?) { add(id) { $0.add(id: $1) } }

    mutating func add(word: String?) { add(word) { $0.add(word: $1) } }
}
