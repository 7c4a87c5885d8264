/// How long to wait before a port is opened again: 1 s, doubled up to 30 s, until data has come.
struct RetryDelay: Hashable, Sendable {
    static let firstMilliseconds = 1000
    static let maximumMilliseconds = 30_000

    private var upcoming = firstMilliseconds

    /// The wait before the next try.
    ///
    /// - Parameter jitter: how much earlier, as a share of a quarter of it, 0 ... 1: so that those
    ///   who lost the same peer do not come back all at once.
    mutating func next(jitter: Double = 0) -> Int {
        defer { upcoming = min(upcoming * 2, Self.maximumMilliseconds) }
        return upcoming - Int(Double(upcoming / 4) * min(max(jitter, 0), 1))
    }

    /// The source works: the next failure starts over.
    mutating func reset() {
        upcoming = Self.firstMilliseconds
    }
}
