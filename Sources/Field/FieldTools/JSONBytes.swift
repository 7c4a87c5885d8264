import Timekeeping

/// Writes JSON values into memory, byte by byte and without making strings.
///
/// Bytes past the end of the memory are dropped: what is written is bounded by its callers.
struct JSONBytes {
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private(set) var count: Int

    init(_ bytes: UnsafeMutableBufferPointer<UInt8>, count: Int) {
        self.bytes = bytes
        self.count = count
    }

    @inline(__always)
    mutating func byte(_ value: UInt8) {
        guard count < bytes.count else { return }
        bytes[count] = value
        count &+= 1
    }

    @inline(__always)
    mutating func text(_ text: StaticString) {
        let size = text.utf8CodeUnitCount
        guard size <= bytes.count - count, let base = bytes.baseAddress else { return }
        (base + count).update(from: text.utf8Start, count: size)
        count &+= size
    }

    mutating func integer(_ value: Int64) {
        if value < 0 { byte(UInt8(ascii: "-")) }
        digits(value.magnitude, count: Self.digitCount(value.magnitude))
    }

    /// A number rounded to so many decimals, without trailing zeros; nil and what is not finite or
    /// over 10^8 become null.
    mutating func number(_ value: Double?, decimals: Int) {
        guard let value, abs(value) < 1e8 else { return text("null") }
        let unit = Self.powersOfTen[decimals]
        let scaled = UInt64(abs(value) * Double(unit) + 0.5)
        if value < 0, scaled > 0 { byte(UInt8(ascii: "-")) }
        let whole = scaled / unit
        digits(whole, count: Self.digitCount(whole))
        var fraction = scaled - whole * unit
        guard fraction > 0 else { return }
        var places = decimals
        while fraction % 10 == 0 {
            fraction /= 10
            places &-= 1
        }
        byte(UInt8(ascii: "."))
        digits(fraction, count: places)
    }

    /// RFC 3339 with three decimals in quotes, or null.
    mutating func time(_ time: UTCTime?) {
        guard let time else { return text("null") }
        let date = time.date
        let milliseconds = UInt64(clamping: time.millisecondsOfDay)
        byte(UInt8(ascii: "\""))
        digits(UInt64(clamping: date.year), count: 4)
        byte(UInt8(ascii: "-"))
        digits(UInt64(clamping: date.month), count: 2)
        byte(UInt8(ascii: "-"))
        digits(UInt64(clamping: date.day), count: 2)
        byte(UInt8(ascii: "T"))
        digits(milliseconds / 3_600_000, count: 2)
        byte(UInt8(ascii: ":"))
        digits(milliseconds / 60_000 % 60, count: 2)
        byte(UInt8(ascii: ":"))
        digits(milliseconds / 1000 % 60, count: 2)
        byte(UInt8(ascii: "."))
        digits(milliseconds % 1000, count: 3)
        text("Z\"")
    }

    /// The last `count` digits of a number, zero-padded.
    @inline(__always)
    private mutating func digits(_ value: UInt64, count places: Int) {
        guard places <= bytes.count - count else { return }
        var rest = value
        var index = count &+ places
        while index > count {
            index &-= 1
            bytes[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count &+= places
    }

    @inline(__always)
    private static func digitCount(_ value: UInt64) -> Int {
        var count = 1
        var rest = value
        while rest >= 10 {
            rest /= 10
            count &+= 1
        }
        return count
    }

    private static let powersOfTen: [UInt64] = [
        1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
        10_000_000_000,
    ]
}
