extension TimeZoneRules {
    /// Bytes of a TZif file; the largest of the tz database has 4 KiB.
    public static let maxBytes = 65_536

    /// Reads a TZif file (RFC 8536) of version 1 to 4; later ones are read as 4, as they must be.
    ///
    /// Never traps. Throws for what is damaged or cut off, and for files with leap seconds
    /// (`right/...`), whose seconds are not those of UTC.
    public init(tzif bytes: [UInt8]) throws(TimeZoneDataError) {
        guard bytes.count <= Self.maxBytes else {
            throw TimeZoneDataError("\(bytes.count) bytes, at most \(Self.maxBytes)", at: 0)
        }
        var reader = TZifReader(bytes)
        var header = try reader.header()
        guard header.version > 1 else {
            self = try reader.block(header, timeBytes: 4)
            return
        }
        // The first block has 32-bit times, for readers of version 1 only.
        try reader.skip(header.blockBytes(timeBytes: 4))
        header = try reader.header()
        let block = try reader.block(header, timeBytes: 8)
        self.init(
            transitions: block.transitions, offsets: block.offsets,
            firstOffset: block.firstOffset, rule: try reader.footer())
    }
}

/// Takes a TZif file apart from front to end.
private struct TZifReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    struct Header {
        var version = 1
        var isUTCount = 0
        var isStandardCount = 0
        var leapCount = 0
        var timeCount = 0
        var typeCount = 0
        var characterCount = 0

        func blockBytes(timeBytes: Int) -> Int {
            timeCount * (timeBytes + 1) + typeCount * 6 + characterCount
                + leapCount * (timeBytes + 4) + isStandardCount + isUTCount
        }
    }

    mutating func header() throws(TimeZoneDataError) -> Header {
        let start = position
        guard try take(4).elementsEqual([0x54, 0x5A, 0x69, 0x66]) else {
            throw TimeZoneDataError("not TZif", at: start)
        }
        var header = Header()
        switch try byte() {
        case 0: header.version = 1
        case let digit where digit >= UInt8(ascii: "2") && digit <= UInt8(ascii: "9"):
            header.version = Int(digit - UInt8(ascii: "0"))
        case let other: throw TimeZoneDataError("version \(other)", at: position - 1)
        }
        try skip(15)
        header.isUTCount = try count()
        header.isStandardCount = try count()
        header.leapCount = try count()
        header.timeCount = try count()
        header.typeCount = try count()
        header.characterCount = try count()
        guard header.typeCount > 0 else {
            throw TimeZoneDataError("no local time type", at: position)
        }
        return header
    }

    mutating func block(
        _ header: Header, timeBytes: Int
    ) throws(TimeZoneDataError) -> TimeZoneRules {
        let start = position
        let end = start + header.blockBytes(timeBytes: timeBytes)
        guard end <= bytes.count else { throw TimeZoneDataError("cut off", at: bytes.count) }
        guard header.leapCount == 0 else {
            throw TimeZoneDataError("\(header.leapCount) leap seconds", at: start)
        }
        let transitions = try times(header.timeCount, bytes: timeBytes)
        let indices = Array(try take(header.timeCount))
        let types = try offsets(header.typeCount)
        var offsets: [Int32] = []
        offsets.reserveCapacity(indices.count)
        for index in indices {
            guard Int(index) < types.count else {
                throw TimeZoneDataError(
                    "local time type \(index) of \(types.count)", at: position)
            }
            offsets.append(types[Int(index)])
        }
        // Abbreviations and what the times were given in do not matter to an offset.
        try skip(end - position)
        return TimeZoneRules(
            transitions: transitions, offsets: offsets, firstOffset: types[0], rule: nil)
    }

    /// The TZ string between two newlines; empty: nothing is known beyond the last transition.
    mutating func footer() throws(TimeZoneDataError) -> DaylightRule? {
        guard try byte() == UInt8(ascii: "\n") else {
            throw TimeZoneDataError("no footer", at: position - 1)
        }
        guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) else {
            throw TimeZoneDataError("the footer is cut off", at: bytes.count)
        }
        let text = bytes[position..<end]
        return text.isEmpty ? nil : try DaylightRule(posix: text)
    }

    private mutating func times(
        _ count: Int, bytes size: Int
    ) throws(TimeZoneDataError) -> [Int64] {
        var times: [Int64] = []
        times.reserveCapacity(count)
        for _ in 0..<count {
            let start = position
            let value = size == 8 ? try integer64() : Int64(try integer32())
            if let last = times.last, value <= last {
                throw TimeZoneDataError("transition \(value) after \(last)", at: start)
            }
            times.append(value)
        }
        return times
    }

    private mutating func offsets(_ count: Int) throws(TimeZoneDataError) -> [Int32] {
        var offsets: [Int32] = []
        for _ in 0..<count {
            let start = position
            let offset = try integer32()
            guard DaylightRule.offsets.contains(Int(offset)) else {
                throw TimeZoneDataError("offset \(offset) s", at: start)
            }
            try skip(2)
            offsets.append(offset)
        }
        return offsets
    }

    // MARK: - Bytes

    mutating func skip(_ count: Int) throws(TimeZoneDataError) {
        _ = try take(count)
    }

    private mutating func take(_ count: Int) throws(TimeZoneDataError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= bytes.count - position else {
            throw TimeZoneDataError("cut off", at: bytes.count)
        }
        defer { position += count }
        return bytes[position..<position + count]
    }

    private mutating func byte() throws(TimeZoneDataError) -> UInt8 {
        try take(1).first ?? 0
    }

    /// A number of entries; more than there are bytes is damage, and must not overflow a sum.
    private mutating func count() throws(TimeZoneDataError) -> Int {
        let start = position
        let value = UInt32(bitPattern: try integer32())
        guard value <= UInt32(TimeZoneRules.maxBytes) else {
            throw TimeZoneDataError("\(value) entries", at: start)
        }
        return Int(value)
    }

    private mutating func integer32() throws(TimeZoneDataError) -> Int32 {
        var value: UInt32 = 0
        for byte in try take(4) { value = value << 8 | UInt32(byte) }
        return Int32(bitPattern: value)
    }

    private mutating func integer64() throws(TimeZoneDataError) -> Int64 {
        var value: UInt64 = 0
        for byte in try take(8) { value = value << 8 | UInt64(byte) }
        return Int64(bitPattern: value)
    }
}
