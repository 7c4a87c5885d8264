extension UTCTime: CustomStringConvertible {
    /// RFC 3339 in UTC with three decimals, "2026-01-31T23:59:59.000Z".
    public var description: String { rfc3339 }

    /// RFC 3339 in UTC with three decimals, "2026-01-31T23:59:59.000Z".
    public var rfc3339: String {
        String(unsafeUninitializedCapacity: Self.rfc3339ByteCount) {
            writeRFC3339(to: $0)
            return Self.rfc3339ByteCount
        }
    }

    /// Bytes of `rfc3339`.
    public static let rfc3339ByteCount = 24

    /// Writes `rfc3339` to the front of `bytes`, which must have room for it.
    public func writeRFC3339(to bytes: UnsafeMutableBufferPointer<UInt8>) {
        precondition(bytes.count >= Self.rfc3339ByteCount)
        let day = date
        let time = millisecondsOfDay
        bytes.put(Int64(day.year), digits: 4, at: 0, before: "-")
        bytes.put(Int64(day.month), digits: 2, at: 5, before: "-")
        bytes.put(Int64(day.day), digits: 2, at: 8, before: "T")
        bytes.put(time / 3_600_000, digits: 2, at: 11, before: ":")
        bytes.put(time / 60_000 % 60, digits: 2, at: 14, before: ":")
        bytes.put(time / 1000 % 60, digits: 2, at: 17, before: ".")
        bytes.put(time % 1000, digits: 3, at: 20, before: "Z")
    }

    /// Reads an RFC 3339 date-time: any number of decimals (cut to milliseconds), `Z` or a numeric
    /// offset, second 60 as the first of the next minute. Nil for everything else.
    public init?(rfc3339 text: some StringProtocol) {
        var text = String(text)
        guard let time = text.withUTF8({ UTCTime(rfc3339: $0) }) else { return nil }
        self = time
    }

    /// As `init(rfc3339:)` of the text that these bytes are.
    public init?(rfc3339 text: UnsafeBufferPointer<UInt8>) {
        var reader = DigitReader(bytes: text)
        guard let year = reader.number(digits: 4), reader.skip("-"),
            let month = reader.number(digits: 2), reader.skip("-"),
            let day = reader.number(digits: 2),
            reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.number(digits: 2), reader.skip(":"),
            let minute = reader.number(digits: 2), reader.skip(":"),
            let second = reader.number(digits: 2),
            let date = CalendarDate(year: year, month: month, day: day),
            hour < 24, minute < 60, second <= 60,
            let fraction = reader.fraction(), let offset = reader.offsetMinutes(), reader.isAtEnd
        else { return nil }
        let seconds = Int64(hour * 3600 + minute * 60 + second) - Int64(offset * 60)
        self.init(date: date, millisecondsOfDay: seconds * 1000 + fraction)
    }
}

/// Takes an RFC 3339 text apart from left to right.
private struct DigitReader {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    var isAtEnd: Bool { position == bytes.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else {
            return false
        }
        position += 1
        return true
    }

    mutating func number(digits count: Int) -> Int? {
        guard position + count <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[position..<position + count] {
            guard let digit = byte.decimalDigit else { return nil }
            value = value * 10 + digit
        }
        position += count
        return value
    }

    /// Milliseconds; 0 where there is no decimal point, nil where no digit follows one.
    mutating func fraction() -> Int64? {
        guard skip(".") else { return 0 }
        var value: Int64 = 0
        var weight: Int64 = 100
        let start = position
        while position < bytes.count, let digit = bytes[position].decimalDigit {
            value += Int64(digit) * weight
            weight /= 10
            position += 1
        }
        return position > start ? value : nil
    }

    mutating func offsetMinutes() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let sign = skip("+") ? 1 : skip("-") ? -1 : 0
        guard sign != 0, let hours = number(digits: 2), skip(":"), let minutes = number(digits: 2),
            hours < 24, minutes < 60
        else { return nil }
        return sign * (hours * 60 + minutes)
    }
}

extension UInt8 {
    /// 0 ... 9 for an ASCII digit, else nil.
    fileprivate var decimalDigit: Int? {
        self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") ? Int(self - UInt8(ascii: "0")) : nil
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// Puts the last `count` decimal digits of a number at `start`, zero-padded, and `next` behind them.
    fileprivate func put(
        _ value: Int64, digits count: Int, at start: Int, before next: Unicode.Scalar
    ) {
        var rest = value.magnitude
        var place = start + count
        self[place] = UInt8(ascii: next)
        while place > start {
            place -= 1
            self[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}
