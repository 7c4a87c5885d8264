/// Where the way between two places runs through a shape.
public struct WayCrossings: Hashable, Sendable {
    /// Shares of the way, 0 the start and 1 the end, that lie inside, in order.
    public var parts: [ClosedRange<Double>]
    /// Metres of the whole way.
    public var lengthMeters: Double

    public init(parts: [ClosedRange<Double>], lengthMeters: Double) {
        self.parts = parts
        self.lengthMeters = lengthMeters
    }

    /// The share at which the way first comes in; nil where it starts inside or stays out.
    public var firstEntry: Double? { parts.first { $0.lowerBound > 0 }?.lowerBound }

    /// The share at which the way comes in for good; nil where it starts inside and stays, or ends
    /// outside.
    public var lastEntry: Double? {
        guard let last = parts.last, last.upperBound >= 1, last.lowerBound > 0 else { return nil }
        return last.lowerBound
    }

    /// The share at which the way last goes out; nil where it ends inside or stays out.
    public var lastExit: Double? {
        guard let last = parts.last, last.upperBound < 1 else { return nil }
        return last.upperBound
    }

    /// Metres inside, all parts together.
    public var chordMeters: Double {
        parts.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) } * lengthMeters
    }
}
