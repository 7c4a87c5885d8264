/// What an event is placed by among those of its device (`EventOrder`).
struct EventPlace {
    /// Of its epoch.
    var epochOrdinal: Int64
    var sequence: Int64
    /// Its row in `boots`.
    var bootOrder: Int64
    /// Nil: not known; then it decides nothing.
    var uptimeMilliseconds: Int64?

    /// Whether this one is later than `other` by its number and by its uptime, in the same epoch and
    /// boot. Then `EventOrder` puts nothing between the two: whatever is later than this one is later
    /// than the other one as well.
    func surelyFollows(_ other: EventPlace) -> Bool {
        guard let uptimeMilliseconds, let before = other.uptimeMilliseconds else { return false }
        return epochOrdinal == other.epochOrdinal && bootOrder == other.bootOrder
            && sequence > other.sequence && uptimeMilliseconds >= before
    }
}
