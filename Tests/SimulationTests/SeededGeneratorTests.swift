import Simulation
import Testing

@Suite("Seeded generator")
struct SeededGeneratorTests {
    @Test("it is SplitMix64")
    func reference() {
        // The published test vector of seed 1234567.
        var generator = SeededGenerator(seed: 1_234_567)
        #expect(
            (0..<3).map { _ in generator.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ])
    }

    @Test("its normal deviates have the moments and tails of a normal distribution")
    func normal() {
        var generator = SeededGenerator(seed: 20_260_131)
        let count = 200_000
        let values = (0..<count).map { _ in generator.normal() }
        let mean = values.reduce(0, +) / Double(count)
        let variance = values.reduce(0) { $0 + $1 * $1 } / Double(count)
        let fourth = values.reduce(0) { $0 + $1 * $1 * $1 * $1 } / Double(count)
        func share(beyond bound: Double) -> Double {
            Double(values.filter { abs($0) > bound }.count) / Double(count)
        }
        #expect(abs(mean) < 0.01)
        #expect(abs(variance - 1) < 0.015)
        #expect(abs(fourth - 3) < 0.12)
        #expect(abs(share(beyond: 1) - 0.3173) < 0.005)
        #expect(abs(share(beyond: 2) - 0.0455) < 0.002)
        #expect(abs(share(beyond: 3) - 0.0027) < 0.0005)
    }

    @Test("streams of one seed are different, and the same again for the same seed")
    func streams() {
        var first = SeededGenerator(seed: 7, stream: 1)
        var second = SeededGenerator(seed: 7, stream: 2)
        var again = SeededGenerator(seed: 7, stream: 1)
        let numbers = (0..<50).map { _ in first.next() }
        #expect(Set(numbers).isDisjoint(with: (0..<50).map { _ in second.next() }))
        #expect(numbers == (0..<50).map { _ in again.next() })
    }
}
