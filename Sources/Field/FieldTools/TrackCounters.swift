/// What was found in a log of positions, which has no sentences that could be refused one by one.
public struct TrackCounters: Hashable, Sendable {
    public var bytes: Int
    public var epochs = 0
    /// Epochs with a position.
    public var fixes = 0

    public init(bytes: Int) {
        self.bytes = bytes
    }
}
