/// How many satellites an epoch's GSV sentences have in view, and the strongest signal among them.
///
/// A talker sends its list once for each signal, one after the other; of these the longest counts.
struct InViewSummary {
    private(set) var bestSignal: Int?
    private var total: Int?
    private var talker: UInt16 = 0
    private var talkerCount = 0
    /// One bit for each talker that was seen.
    private var seen: UInt64 = 0

    var count: Int? { total }

    @inline(__always)
    mutating func add(_ part: SatellitesInView) {
        if part.bestSignal > 0 { bestSignal = max(bestSignal ?? 0, part.bestSignal) }
        guard part.isFirstPart else { return }
        if part.talker == talker {
            guard part.count > talkerCount else { return }
            total = (total ?? 0) + part.count - talkerCount
            talkerCount = part.count
            return
        }
        let bit: UInt64 = 1 << UInt64((part.talker ^ part.talker >> 5) & 63)
        guard seen & bit == 0 else { return }
        seen |= bit
        talker = part.talker
        talkerCount = part.count
        total = (total ?? 0) + part.count
    }
}
