/// An unsigned decimal number as it stood in a field, without loss.
struct Decimal {
    /// The number without its point.
    var digits: Int64
    /// The number without what stands behind the point.
    var whole: Int64
    /// How many of the digits stood behind the point, 0 ... `maximumFractionDigits`.
    var scale: Int
    /// How many stood in front of it, 0 ... `maximumIntegerDigits`.
    var integerCount: Int

    /// More in front of the point is no number that a receiver means.
    static let maximumIntegerDigits = 9
    /// What stands behind these is checked to be digits and otherwise ignored.
    static let maximumFractionDigits = 9

    /// Rounded once.
    @inline(__always)
    var value: Double { Double(digits) / Self.powersOfTen[scale] }

    /// Ten to the power of the scale.
    @inline(__always)
    var unit: Int64 { Self.units[scale] }

    /// What stands behind the point, in thousandths, cut.
    @inline(__always)
    var thousandths: Int64 {
        let fraction = digits &- whole &* unit
        return scale <= 3 ? fraction &* Self.units[3 &- scale] : fraction / Self.units[scale &- 3]
    }

    private static let units: [Int64] = [
        1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    ]

    private static let powersOfTen: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]
}
