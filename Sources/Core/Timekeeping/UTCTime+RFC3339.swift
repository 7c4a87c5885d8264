extension UTCTime: CustomStringConvertible {
    /// RFC 3339 in UTC with three decimals, "2026-01-31T23:59:59.000Z".
    public var description: String { rfc3339 }

    /// RFC 3339 in UTC with three decimals, "2026-01-31T23:59:59.000Z".
    public var rfc3339: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        appendRFC3339(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends `rfc3339`, 24 ASCII characters.
    public func appendRFC3339(to bytes: inout [UInt8]) {
        let day = date
        let time = millisecondsOfDay
        bytes.append(digits: Int64(day.year), count: 4)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(digits: Int64(day.month), count: 2)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(digits: Int64(day.day), count: 2)
        bytes.append(UInt8(ascii: "T"))
        bytes.append(digits: time / 3_600_000, count: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(digits: time / 60_000 % 60, count: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(digits: time / 1000 % 60, count: 2)
        bytes.append(UInt8(ascii: "."))
        bytes.append(digits: time % 1000, count: 3)
        bytes.append(UInt8(ascii: "Z"))
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

extension [UInt8] {
    /// Appends the last `count` decimal digits of a number, zero-padded.
    fileprivate mutating func append(digits value: Int64, count digits: Int) {
        let start = count
        for _ in 0..<digits { append(UInt8(ascii: "0")) }
        var rest = value.magnitude
        for place in stride(from: start + digits - 1, through: start, by: -1) {
            self[place] += UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}
