import Timekeeping

/// What this build calls itself.
public enum ProjectVersion {
    /// Semantic version, as in `User-Agent` and `--version`.
    public static let current = "0.1.0"

    /// No receiver may claim a date before this one, the day of the release: the floor against
    /// which a week rollover is found (positioning, section 3).
    public static let dateFloor = CalendarDate(daysSince1970: 20_758)
}
