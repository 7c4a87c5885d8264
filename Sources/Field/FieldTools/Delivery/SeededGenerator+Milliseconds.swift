import Simulation

extension SeededGenerator {
    /// A whole number of milliseconds, at least one.
    mutating func milliseconds(in seconds: Range<Double>) -> Int64 {
        Int64(uniform(in: seconds) * 1000) + 1
    }
}
