/// A number as a whole multiple of a unit, where that gives the very same number back. Most of those of an
/// event have few decimals and take two to six bytes so, instead of eight.
struct ScaledNumber {
    private let multiple: Int64
    /// Index of `units`.
    private let unit: Int

    /// Parts of one; billionths are what gpsd writes degrees in. Rows on disk rest upon them.
    private static let units = [1.0, 1e3, 1e9]
    /// Stands for a number that is none of these, in the place of its `bits`.
    static let isUnscaled: UInt64 = 3
    /// Below it every whole number is a `Double`.
    private static let limit = 9_007_199_254_740_992.0

    /// Nil for a number that is not a multiple of a unit.
    init?(_ number: Double) {
        for index in Self.units.indices {
            let scaled = number * Self.units[index]
            guard abs(scaled) < Self.limit else { return nil }
            self.init(multiple: Int64(scaled + (scaled < 0 ? -0.5 : 0.5)), unit: index)
            // Negative zero is another number.
            if value.bitPattern == number.bitPattern { return }
        }
        return nil
    }

    private init(multiple: Int64, unit: Int) {
        self.multiple = multiple
        self.unit = unit
    }

    /// Nil for bits that no number has.
    init?(bits: UInt64) {
        let unit = Int(bits & 3)
        guard unit < Self.units.count else { return nil }
        let number = bits >> 2
        self.init(
            multiple: Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1), unit: unit)
    }

    var value: Double { Double(multiple) / Self.units[unit] }

    /// The unit in the two low bits, and the sign above them.
    var bits: UInt64 {
        UInt64(bitPattern: multiple << 1 ^ multiple >> 63) << 2 | UInt64(unit)
    }
}
