/// Reads what `PayloadWriter` wrote. Everything throws at what it cannot have written, and nothing traps.
struct PayloadReader {
    private let bytes: ArraySlice<UInt8>
    private var index: Int
    private var flags = (byte: UInt8(0), count: 8)

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// Bytes that are not what a writer writes.
    struct Damage: Error {}

    var isAtEnd: Bool { index == bytes.endIndex }

    // MARK: Pieces

    mutating func byte() throws(Damage) -> UInt8 {
        guard index < bytes.endIndex else { throw Damage() }
        defer { index += 1 }
        return bytes[index]
    }

    mutating func flag() throws(Damage) -> Bool {
        if flags.count == 8 { flags = (try byte(), 0) }
        defer { flags.count += 1 }
        return flags.byte >> UInt8(flags.count) & 1 == 1
    }

    mutating func bits() throws(Damage) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = UInt64(try byte())
            // Of the tenth only one bit has room.
            guard shift < 63 || byte <= 1 else { throw Damage() }
            number |= (byte & 0x7f) << shift
            if byte < 0x80 { return number }
        }
        throw Damage()
    }

    mutating func number() throws(Damage) -> Int64 {
        let bits = try bits()
        return Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
    }

    mutating func number(from base: Int64) throws(Damage) -> Int64 {
        base &+ (try number())
    }

    mutating func integer() throws(Damage) -> Int {
        guard let integer = Int(exactly: try number()) else { throw Damage() }
        return integer
    }

    mutating func double() throws(Damage) -> Double {
        let bits = try bits()
        let number =
            bits == ScaledNumber.isUnscaled
            ? Double(bitPattern: try fixed()) : ScaledNumber(bits: bits)?.value
        guard let number, number.isFinite else { throw Damage() }
        return number
    }

    mutating func fixed() throws(Damage) -> UInt64 {
        try take(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func string() throws(Damage) -> String {
        try string(count: try bits())
    }

    private mutating func string(count: UInt64) throws(Damage) -> String {
        String(decoding: try take(count), as: UTF8.self)
    }

    private mutating func take(_ count: UInt64) throws(Damage) -> ArraySlice<UInt8> {
        guard count <= UInt64(bytes.endIndex - index) else { throw Damage() }
        defer { index += Int(count) }
        return bytes[index..<index + Int(count)]
    }

    // MARK: Kinds of strings

    mutating func id() throws(Damage) -> String {
        let head = try bits()
        guard let form = PayloadID(rawValue: head) else {
            return try string(count: head - PayloadID.formCount)
        }
        let front = UInt64(bigEndian: try fixed())
        return form.text(UUIDBytes(front: front, back: UInt64(bigEndian: try fixed())))
    }

    mutating func word() throws(Damage) -> String {
        let number = try bits()
        if number == PayloadWord.isOther { return try string() }
        guard let word = PayloadWord.word(number) else { throw Damage() }
        return word
    }

    mutating func one<Case: StoredCase>(of stored: [Case]) throws(Damage) -> Case {
        let place = try bits()
        guard place < UInt64(stored.count) else { throw Damage() }
        return stored[Int(place)]
    }

    // MARK: Optional values

    mutating func optionalInteger() throws(Damage) -> Int? {
        try flag() ? try integer() : nil
    }

    mutating func optionalDouble() throws(Damage) -> Double? {
        try flag() ? try double() : nil
    }

    mutating func optionalString() throws(Damage) -> String? {
        try flag() ? try string() : nil
    }

    mutating func optionalID() throws(Damage) -> String? {
        try flag() ? try id() : nil
    }

    mutating func optionalWord() throws(Damage) -> String? {
        try flag() ? try word() : nil
    }
}
