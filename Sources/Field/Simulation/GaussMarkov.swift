/// A first-order Gauss-Markov process: a random value that forgets itself with a time constant.
///
/// Over `dt` it keeps exp(-dt/tau) of its value and gains what keeps its variance.
public struct GaussMarkov: Sendable {
    public let sigma: Double
    public let tauSeconds: Double
    public private(set) var value: Double

    /// Starts at a random value of the process, as a receiver long switched on.
    public init(sigma: Double, tauSeconds: Double, using generator: inout SeededGenerator) {
        self.sigma = sigma
        self.tauSeconds = tauSeconds
        value = sigma * generator.normal()
    }

    public mutating func advance(seconds: Double, using generator: inout SeededGenerator) {
        let kept = Self.decay(seconds / tauSeconds)
        value = kept * value + sigma * (1 - kept * kept).squareRoot() * generator.normal()
    }

    /// exp(-x) for x >= 0 in plain arithmetic, so that every machine gets the same bits.
    static func decay(_ exponent: Double) -> Double {
        guard exponent < 700 else { return 0 }
        var (small, halvings) = (max(0, exponent), 0)
        while small > 0.125 {
            small /= 2
            halvings += 1
        }
        var (term, sum) = (1.0, 1.0)
        for order in 1...10 {
            term *= -small / Double(order)
            sum += term
        }
        for _ in 0..<halvings { sum *= sum }
        return sum
    }
}
