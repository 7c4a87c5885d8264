/// How far the epochs of a queue have come, so that a reader can go on where it was.
public struct QueuePositions: Hashable, Sendable {
    /// The epoch of new events.
    public var current: String
    /// The last sequence number of each epoch of which events are kept, and of the current one.
    public var last: [String: Int64]

    public init(current: String, last: [String: Int64]) {
        self.current = current
        self.last = last
    }
}
