extension FieldCursor {
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
}
