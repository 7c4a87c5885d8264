/// By which days retention has gone: what it deletes never comes back, so one wrong date of a clock
/// must not decide.
///
/// A day that is more than a week after the last one is a claim, of a clock that is wrong or of a
/// server that was off. It counts once a run on a later day agrees with it.
public struct RetentionDays: Hashable, Sendable {
    /// Days that a day may be after another one without being doubted.
    static let longestStep: Int64 = 7

    /// Days since 1970 of the last run that was allowed to delete; nil: none has been.
    public private(set) var trusted: Int64?
    /// Of the first run that said what is not believed yet; nil: there is no such.
    public private(set) var claimed: Int64?

    public init(trusted: Int64? = nil, claimed: Int64? = nil) {
        self.trusted = trusted
        self.claimed = claimed
    }

    /// Whether what was received long before this day may be deleted. A day before the last one may:
    /// it deletes less.
    mutating func accept(_ today: Int64) -> Bool {
        let isNext = trusted.map { today <= $0 + Self.longestStep } ?? false
        let isConfirmed = claimed.map { today > $0 && today <= $0 + Self.longestStep } ?? false
        if isNext || isConfirmed {
            (trusted, claimed) = (today, nil)
            return true
        }
        if claimed.map({ today < $0 || today > $0 + Self.longestStep }) ?? true { claimed = today }
        return false
    }
}
