/// How long to wait before a port is opened again: 1 s, doubled up to 30 s, until data has come.
struct RetryDelay: Hashable, Sendable {
    static let firstMilliseconds = 1000
    static let maximumMilliseconds = 30_000

    private var upcoming = firstMilliseconds

    /// The wait before the next try.
    mutating func next() -> Int {
        defer { upcoming = min(upcoming * 2, Self.maximumMilliseconds) }
        return upcoming
    }

    /// The source works: the next failure starts over.
    mutating func reset() {
        upcoming = Self.firstMilliseconds
    }
}
