extension DaylightRule {
    /// Reads a TZ string: `CET-1CEST,M3.5.0,M10.5.0/3`, `<+1030>-10:30<+11>-11,M10.1.0,M4.1.0`.
    ///
    /// Times of a change go from -167 to 167 hours (RFC 8536, section 3.3.1). Daylight time without
    /// a rule is refused: when it would begin is anybody's guess.
    init(posix text: some Sequence<UInt8>) throws(TimeZoneDataError) {
        var reader = PosixReader(text)
        try reader.name()
        standardOffset = try reader.offset()
        guard !reader.isAtEnd else { return }
        try reader.name()
        var offset = standardOffset + 3600
        if !reader.skip(",") {
            offset = try reader.offset()
            try reader.expect(",")
        }
        let start = try reader.change()
        try reader.expect(",")
        let end = try reader.change()
        guard reader.isAtEnd else { throw reader.error("more than a rule") }
        daylight = Daylight(offset: offset, start: start, end: end)
    }
}

/// Takes a TZ string apart from left to right.
private struct PosixReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: some Sequence<UInt8>) {
        bytes = Array(text)
    }

    var isAtEnd: Bool { position == bytes.count }

    func error(_ detail: String) -> TimeZoneDataError {
        TimeZoneDataError("TZ string: \(detail)", at: position)
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else {
            return false
        }
        position += 1
        return true
    }

    mutating func expect(_ character: Unicode.Scalar) throws(TimeZoneDataError) {
        guard skip(character) else { throw error("'\(character)' expected") }
    }

    /// At least three letters, or anything of letters, digits and signs between `<` and `>`.
    mutating func name() throws(TimeZoneDataError) {
        if skip("<") {
            while position < bytes.count, bytes[position] != UInt8(ascii: ">") { position += 1 }
            return try expect(">")
        }
        let start = position
        while position < bytes.count, bytes[position].isASCIILetter { position += 1 }
        guard position - start >= 3 else { throw error("name expected") }
    }

    /// Seconds east of UTC; the string has them west of it.
    mutating func offset() throws(TimeZoneDataError) -> Int {
        -(try time(hours: 0...24))
    }

    mutating func change() throws(TimeZoneDataError) -> DaylightRule.Change {
        let day = try day()
        let seconds = skip("/") ? try time(hours: 0...167) : 7200
        return DaylightRule.Change(day: day, seconds: seconds)
    }

    private mutating func day() throws(TimeZoneDataError) -> DaylightRule.Day {
        if skip("J") { return .julian(try number(1...365)) }
        guard skip("M") else { return .zeroBased(try number(0...365)) }
        let month = try number(1...12)
        try expect(".")
        let week = try number(1...5)
        try expect(".")
        return .weekday(month: month, week: week, weekday: try number(0...6))
    }

    /// Seconds of `[+|-]hh[:mm[:ss]]`.
    private mutating func time(hours: ClosedRange<Int>) throws(TimeZoneDataError) -> Int {
        let sign = skip("-") ? -1 : 1
        if sign > 0 { _ = skip("+") }
        var seconds = try number(hours) * 3600
        if skip(":") {
            seconds += try number(0...59) * 60
            if skip(":") { seconds += try number(0...59) }
        }
        return sign * seconds
    }

    private mutating func number(_ range: ClosedRange<Int>) throws(TimeZoneDataError) -> Int {
        var value = 0
        let start = position
        while position < bytes.count, bytes[position].isASCIIDigit, position - start < 4 {
            value = value * 10 + Int(bytes[position] - UInt8(ascii: "0"))
            position += 1
        }
        guard position > start, range.contains(value) else {
            throw error(
                "number from \(range.lowerBound) to \(range.upperBound) expected")
        }
        return value
    }
}
