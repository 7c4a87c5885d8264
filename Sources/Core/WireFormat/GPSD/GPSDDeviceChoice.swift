/// Which of gpsd's receivers is followed.
///
/// WATCH is never filtered, so that a receiver which comes later is seen. But two receivers give two
/// positions metres apart, and going to and fro between them looks like motion: one is followed until
/// it has had no fix for a while and another has one.
struct GPSDDeviceChoice: Hashable, Sendable {
    /// Without a fix for so long, another receiver is followed.
    static let patienceMilliseconds: Int64 = 10_000

    enum Verdict: Hashable {
        case followed
        /// From now on this receiver instead of the one before.
        case changed
        case ignored
    }

    private(set) var current: String??
    private var lastFix: Int64?
    private var lastReport: Int64 = 0

    /// Whether reports of a receiver that is not named, or of this one, belong to the one followed.
    func isCurrent(_ device: String?) -> Bool {
        guard let current else { return false }
        return device == nil || current == nil || current == device
    }

    /// - Parameter clock: milliseconds on any clock that goes forward.
    mutating func judge(_ device: String?, hasFix: Bool, at clock: Int64) -> Verdict {
        guard current != nil, !isCurrent(device) else {
            let isFirst = current == nil
            if isFirst || current == .some(nil) { current = .some(device) }
            note(hasFix, clock)
            return .followed
        }
        let isLost = lastFix.map { clock &- $0 > Self.patienceMilliseconds } ?? true
        let isSilent = clock &- lastReport > Self.patienceMilliseconds
        guard hasFix ? isLost : isSilent else { return .ignored }
        current = .some(device)
        lastFix = nil
        note(hasFix, clock)
        return .changed
    }

    private mutating func note(_ hasFix: Bool, _ clock: Int64) {
        lastReport = clock
        if hasFix { lastFix = clock }
    }
}
