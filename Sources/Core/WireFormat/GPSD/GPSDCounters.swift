/// What was made of gpsd's lines, since the decoder was made.
public struct GPSDCounters: Hashable, Sendable {
    public var bytes = 0
    /// Lines of any kind, those that were too long excepted.
    public var lines = 0
    /// No JSON object with a class, or a member of the wrong type.
    public var malformed = 0
    public var tooLong = 0
    /// Lines that say nothing about the position.
    public var otherLines = 0

    // TPV
    public var positions = 0
    /// Joined an epoch that had a report already.
    public var coalesced = 0
    /// Had the time of the epoch that was just closed.
    public var late = 0
    /// Of another receiver than the one that is used.
    public var otherDevice = 0
    /// Claimed a fix, but without latitude or longitude, or with one that is not a number.
    public var positionMissing = 0
    public var positionOutOfRange = 0
    public var nullIsland = 0

    // The rest
    public var skies = 0
    public var errors = 0
    public var epochs = 0
    public var fixes = 0

    /// Lines that were not used because something was wrong with them.
    public var rejected: Int {
        malformed + tooLong + positionMissing + positionOutOfRange + nullIsland
    }
    /// Lines that were understood.
    public var accepted: Int {
        lines - malformed - positionMissing - positionOutOfRange - nullIsland
    }

    public init() {}

    /// All of them by name, for `status` and `decode --counters`.
    public var named: [(name: String, count: Int)] {
        [
            ("accepted", accepted), ("rejected", rejected), ("epochs", epochs), ("fixes", fixes),
            ("bytes", bytes), ("lines", lines), ("malformed", malformed), ("too_long", tooLong),
            ("other_lines", otherLines), ("tpv", positions), ("coalesced", coalesced),
            ("late", late), ("other_device", otherDevice),
            ("position_missing", positionMissing),
            ("position_out_of_range", positionOutOfRange), ("null_island", nullIsland),
            ("sky", skies), ("gst", errors),
        ]
    }

    mutating func count(_ report: GPSDReport) {
        lines += 1
        switch report {
        case .position(let position):
            positions += 1
            switch position.defect {
            case .missing: positionMissing += 1
            case .outOfRange: positionOutOfRange += 1
            case .nullIsland: nullIsland += 1
            case nil: break
            }
        case .sky: skies += 1
        case .errors: errors += 1
        case .malformed: malformed += 1
        case .device, .devices, .version, .failure, .other: otherLines += 1
        }
    }
}
