/// The strings of an event that are known beforehand, by number from 1.
enum PayloadWord {
    /// Stands for a string that is none of them and follows.
    static let isOther: UInt64 = 0

    /// Nil for a string that is none of them.
    static func number(_ word: String) -> UInt64? { numbers[word] }

    /// Nil for a number that none has.
    static func word(_ number: UInt64) -> String? {
        number >= 1 && number <= UInt64(words.count) ? words[Int(number) - 1] : nil
    }

    private static let numbers = Dictionary(
        words.enumerated().map { ($1, UInt64($0) + 1) }, uniquingKeysWith: { first, _ in first })

    /// Rules that decide, and reasons. For ever: rows on disk rest upon their order; new ones
    /// go to the end, with a new version of `QueueSchema`. A string that is not here costs its length.
    static let words = [
        "decisive", "eager", "fast_repeated", "margin", "slow_mean", "stationary_margin",
        "stationary_mean", "stationary_hold", "seed_decisive", "seed_repeated", "dwell",
        "dwell_ramp", "pass_between_fixes", "pass_inside", "gap", "fence_deleted",
        "fence_disabled", "fence_expired", "fence_changed", "capacity", "uncommitted", "cooldown",
        "quiet_hours", "window", "cap", "burst", "initial_enter", "not_yet_valid", "expired",
        "time_unknown", "zone_unknown", "unreadable_rules", "campaign",
        "fence",
    ]
}
