/// A decimal number of up to 19 digits: `mantissa / 10^decimals`.
struct DecimalFraction {
    /// Digits that 64 bits hold, whatever they are.
    static let digitLimit = 19

    /// All digits as one whole number.
    var mantissa: UInt64
    /// How many of the digits stand behind the point, 0 ... 19.
    var decimals: Int

    /// The nearest Double; of two that are equally near the even one.
    var value: Double {
        guard mantissa > 0, Self.powers.indices.contains(decimals) else { return 0 }
        let power = Self.powers[decimals]
        // W. Clinger, "How to read floating point numbers accurately" (1990): where both operands are
        // exact, one division rounds once.
        if mantissa < 1 << 53, power < 1 << 53 { return Double(mantissa) / Double(power) }
        return Self.quotient(mantissa, power)
    }

    /// By a division in whole numbers: its quotient has 63 or 64 bits, ten more than a Double, and
    /// whether it has a remainder stands in the lowest one. So turning that into a Double, which
    /// rounds, sees all there is to see.
    private static func quotient(_ mantissa: UInt64, _ power: UInt64) -> Double {
        let (left, right) = (mantissa.leadingZeroBitCount, power.leadingZeroBitCount)
        let dividend = mantissa << left
        // Half of the dividend is less than the divisor, whose highest bit is set.
        let (quotient, remainder) = (power << right).dividingFullWidth(
            (high: dividend >> 1, low: dividend << 63))
        let bits = remainder == 0 ? quotient : quotient | 1
        // 2^(right - left - 63), which is between 2^-126 and 1: multiplying by it is exact.
        let scale = Double(bitPattern: UInt64(1023 + right - left - 63) << 52)
        return Double(bits) * scale
    }

    private static let powers: [UInt64] = (0...digitLimit).map { exponent in
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }
}
