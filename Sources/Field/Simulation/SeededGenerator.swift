/// The same numbers for the same seed on every machine: SplitMix64, and normal deviates made with
/// comparisons only, so that no mathematics library can change a bit.
///
/// Sources: Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
/// doi:10.1145/2660193.2660195; Karney, "Sampling exactly from the normal distribution",
/// doi:10.1145/2710016, algorithm N.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) {
        state = seed
    }

    /// A generator for one purpose whose numbers do not depend on how many another purpose drew.
    public init(seed: UInt64, stream: UInt64) {
        var mixer = SeededGenerator(seed: stream)
        state = seed ^ mixer.next()
        state = next()
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Evenly distributed over 0 ..< 1, 53 bits of it.
    public mutating func uniform() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// Evenly distributed over the range, its upper end left out.
    public mutating func uniform(in range: Range<Double>) -> Double {
        range.lowerBound + uniform() * (range.upperBound - range.lowerBound)
    }

    /// Normally distributed: mean 0, standard deviation 1.
    public mutating func normal() -> Double {
        while true {
            var whole = 0
            while happens(exponent: 0.5) { whole += 1 }
            guard happens(times: whole * (whole - 1), exponent: 0.5) else { continue }
            let part = uniform()
            let exponent = part * (2 * Double(whole) + part) / Double(2 * whole + 2)
            guard happens(times: whole + 1, exponent: exponent) else { continue }
            let magnitude = Double(whole) + part
            return next() & 1 == 0 ? magnitude : -magnitude
        }
    }

    /// True with a probability of exp(-exponent), 0 ... 1: the length of the first falling run of
    /// uniform numbers below it is even (von Neumann).
    private mutating func happens(exponent: Double) -> Bool {
        var bound = exponent
        var isEven = true
        while true {
            let number = uniform()
            guard number < bound else { return isEven }
            bound = number
            isEven.toggle()
        }
    }

    private mutating func happens(times: Int, exponent: Double) -> Bool {
        for _ in 0..<max(0, times) where !happens(exponent: exponent) { return false }
        return true
    }
}
