/// Events that were dropped for want of space, so that the server learns of the loss.
public struct EvictedRange: Hashable, Sendable {
    public var kind: EventKind
    public var count: Int64
    public var firstSequence: Int64
    public var lastSequence: Int64

    public init(kind: EventKind, count: Int64, firstSequence: Int64, lastSequence: Int64) {
        self.kind = kind
        self.count = count
        self.firstSequence = firstSequence
        self.lastSequence = lastSequence
    }
}
