/// Reads the fields of a sentence from left to right, strictly.
///
/// Every reader takes one field (or the number it names) and its comma. An empty field is nil; one
/// that breaks its rule is nil too and marks the whole sentence as malformed. Nothing is allocated.
struct FieldCursor {
    /// The first byte of the next field; behind `end` once there is none.
    private(set) var next: UnsafePointer<UInt8>
    private let end: UnsafePointer<UInt8>
    /// Whether a field broke its rule, or was asked for but missing.
    var isMalformed = false

    /// Starts at the first field behind the address.
    @inline(__always)
    init(fieldsFrom start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>) {
        next = start
        self.end = end
    }

    /// Whether a field is left, empty or not.
    @inline(__always)
    var hasField: Bool { next <= end }

    /// Whether nothing is left and nothing was wrong: the sentence stands.
    @inline(__always)
    var isComplete: Bool { !isMalformed && next > end }

    /// Takes one field whatever it holds.
    @inline(__always)
    mutating func skip() {
        guard next <= end else { return fail(at: end) }
        var place = next
        while place < end, place[0] != Byte.comma { place += 1 }
        next = place + 1
    }

    /// Takes an unsigned decimal number.
    @inline(__always)
    mutating func decimal() -> Decimal? {
        guard next <= end else { return fail(at: end) }
        let start = next
        var place = start
        var digits: Int64 = 0
        var digit = place[0] &- Byte.zero
        while digit < 10 {
            digits = digits &* 10 &+ Int64(digit)
            place += 1
            digit = place[0] &- Byte.zero
        }
        let integerCount = place - start
        let whole = digits
        var fractionCount = 0
        if place[0] == Byte.point, place < end {
            place += 1
            let fraction = place
            digit = place[0] &- Byte.zero
            while digit < 10 {
                if place - fraction < Decimal.maximumFractionDigits {
                    digits = digits &* 10 &+ Int64(digit)
                    fractionCount &+= 1
                }
                place += 1
                digit = place[0] &- Byte.zero
            }
        }
        guard finish(at: place) else { return nil }
        guard integerCount <= Decimal.maximumIntegerDigits, integerCount + fractionCount > 0 else {
            if place > start { isMalformed = true }
            return nil
        }
        return Decimal(
            digits: digits, whole: whole, scale: fractionCount, integerCount: integerCount)
    }

    /// Takes a decimal number that may have a sign.
    @inline(__always)
    mutating func signedNumber() -> Double? {
        guard next < end else { return number() }
        let sign = next[0]
        guard sign == Byte.minus || sign == Byte.plus else { return number() }
        next += 1
        guard let magnitude = number() else {
            isMalformed = true
            return nil
        }
        return sign == Byte.minus ? -magnitude : magnitude
    }

    /// Takes an unsigned decimal number as the nearest Double.
    @inline(__always)
    mutating func number() -> Double? { decimal()?.value }

    /// Takes an unsigned whole number of at most `maximumDigits`, up to 9.
    @inline(__always)
    mutating func integer(maximumDigits: Int = 9) -> Int? {
        guard next <= end else { return fail(at: end) }
        let start = next
        var place = start
        var value = 0
        var digit = place[0] &- Byte.zero
        while digit < 10 {
            value = value &* 10 &+ Int(digit)
            place += 1
            digit = place[0] &- Byte.zero
        }
        guard finish(at: place) else { return nil }
        let count = place - start
        guard count > 0 else { return nil }
        guard count <= maximumDigits else { return fail() }
        return value
    }

    /// Takes one character.
    @inline(__always)
    mutating func letter() -> UInt8? {
        guard next <= end else { return fail(at: end) }
        let place = next
        if place == end || place[0] == Byte.comma {
            next = place + 1
            return nil
        }
        return finish(at: place + 1) ? place[0] : nil
    }

    /// Takes a field that is either empty or exactly this character.
    @inline(__always)
    mutating func expect(_ character: UInt8) {
        if let found = letter(), found != character { isMalformed = true }
    }

    /// Takes the next field if it is "00", the message number of PUBX,00; whether it did.
    mutating func takeMessageZero() -> Bool {
        guard end - next > 2, next[0] == Byte.zero, next[1] == Byte.zero, next[2] == Byte.comma
        else { return false }
        next += 3
        return true
    }

    /// Takes the next field if it is empty and not the last; whether it did.
    @inline(__always)
    mutating func takeEmpty() -> Bool {
        guard next < end, next[0] == Byte.comma else { return false }
        next += 1
        return true
    }

    /// Whether the next field holds a number of at most three digits and then a point.
    @inline(__always)
    var isAtDecimals: Bool {
        var place = next
        while place < end, place - next < 4, place[0] &- Byte.zero < 10 { place += 1 }
        return place < end && place[0] == Byte.point
    }

    /// Takes one hex digit of any case.
    @inline(__always)
    mutating func hexDigit() -> Int? {
        guard let character = letter() else { return nil }
        guard let value = Byte.hexDigit(character) else { return fail() }
        return Int(value)
    }

    /// Whether the next field is the last one and has at most one character.
    @inline(__always)
    var isAtShortLastField: Bool {
        next >= end || (end - next == 1 && next[0] != Byte.comma)
    }

    /// How many fields are left, empty ones included.
    var fieldsLeft: Int {
        guard next <= end else { return 0 }
        var count = 1
        var place = next
        while place < end {
            if place[0] == Byte.comma { count &+= 1 }
            place += 1
        }
        return count
    }

    /// Whether the next field begins with this character.
    @inline(__always)
    func isAt(_ character: UInt8) -> Bool { next < end && next[0] == character }

    /// Takes `count` unsigned decimal numbers, or as many as there are, without reading them.
    @inline(__always)
    mutating func skipNumbers(_ count: Int) {
        guard next <= end else { return }
        var place = next
        var left = count
        var points = 0
        while true {
            let byte = place[0]
            if byte &- Byte.zero < 10 {
                place += 1
            } else if byte == Byte.comma {
                place += 1
                points = 0
                left &-= 1
                if left == 0 { break }
            } else if place == end {
                place += 1
                break
            } else if byte == Byte.point, points == 0 {
                place += 1
                points = 1
            } else {
                return fail(at: place)
            }
        }
        next = place
    }

    /// Takes a dilution of precision; nil for the fillers 0.00, 50.00 and all from 89.99.
    @inline(__always)
    mutating func dilution() -> Double? { decimal().flatMap(Self.dilution) }

    /// A dilution of precision; nil for the fillers 0.00, 50.00 and all from 89.99.
    @inline(__always)
    static func dilution(_ number: Decimal) -> Double? {
        let value = number.value
        return value > 0 && value != 50 && value < 89.99 ? value : nil
    }

    /// Takes a field of letters and digits.
    mutating func word() {
        guard next <= end else { return fail(at: end) }
        var place = next
        while Byte.isAlphanumeric(place[0]) { place += 1 }
        _ = finish(at: place)
    }

    /// Takes a field and returns its bytes, which live as long as the sentence.
    mutating func text() -> UnsafeBufferPointer<UInt8> {
        let start = next
        skip()
        return next > start
            ? UnsafeBufferPointer(start: start, count: next - start - 1)
            : UnsafeBufferPointer(start: nil, count: 0)
    }

    /// Takes the comma or the end that must stand at `place`; else marks the sentence as malformed
    /// and takes the rest of the field.
    @inline(__always)
    mutating func finish(at place: UnsafePointer<UInt8>) -> Bool {
        if place == end || place[0] == Byte.comma {
            next = place + 1
            return true
        }
        fail(at: place)
        return false
    }

    /// Marks the sentence as malformed.
    @inline(__always)
    mutating func fail<Value>() -> Value? {
        isMalformed = true
        return nil
    }

    @inline(__always)
    private mutating func fail<Value>(at place: UnsafePointer<UInt8>) -> Value? {
        fail(at: place)
        return nil
    }

    /// Marks the sentence as malformed and takes the rest of the field from `place`.
    @inline(never)
    private mutating func fail(at place: UnsafePointer<UInt8>) {
        isMalformed = true
        var place = place
        while place < end, place[0] != Byte.comma { place += 1 }
        next = place + 1
    }
}
