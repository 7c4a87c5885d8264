import Glibc

/// How far positions lie from the true place.
public enum ErrorCircle {
    /// The share of positions within the radius that receivers give.
    private static let givenShare = 0.68

    /// The radius in metres that holds a share (above 0, below 1) of the positions, where each has
    /// a 68 % radius of its own and errors are normal, alike in all directions; nil where there are
    /// none. What is not positive is passed over.
    public static func radiusMeters(holding share: Double, of radii: [Double]) -> Double? {
        let known = radii.filter { $0 > 0 && $0.isFinite }
        guard let widest = known.max(), share > 0, share < 1 else { return nil }
        // A position lies beyond r with the probability exp(-k (r / its radius)^2).
        let steepness = -log(1 - givenShare)
        var low = 0.0
        var high = widest * (-log(1 - share) / steepness).squareRoot()
        for _ in 0..<halvings {
            let middle = (low + high) / 2
            let beyond = known.reduce(0) { sum, radius in
                let ratio = middle / radius
                return sum + exp(-steepness * ratio * ratio)
            }
            if beyond > (1 - share) * Double(known.count) { low = middle } else { high = middle }
        }
        return high
    }

    private static let halvings = 40
}
