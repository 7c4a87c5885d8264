import Timekeeping

/// Knows when a receiver will have said everything about its next epoch, so that its line is looked
/// at once a period instead of at every byte. Pure.
///
/// A receiver at 9600 baud spends half of each second sending; a reader that wakes for each piece
/// costs more than all the rest of the agent. The epoch is decided as soon as it is complete anyway,
/// so nothing is lost by sleeping until then. The aim creeps towards the last byte until it comes
/// too early, and then steps back: a decision waits some 20 ms for it.
///
/// A receiver that is not regular, or so fast that the system could not hold its bytes, has no
/// rhythm. Nothing but bytes waits: a hang-up is seen at once.
struct LineRhythm: Hashable {
    /// Periods that are slept through, milliseconds.
    static let periods: ClosedRange<Int64> = 90...1250
    /// Epochs in a row that must be regular.
    static let epochsUntilKnown = 5
    /// Regular is what comes this close to the period, or within an eighth of it, milliseconds.
    static let toleranceMilliseconds: Int64 = 40
    static let toleranceDivisor: Int64 = 8
    /// By how much the aim moves towards the last byte with each epoch.
    static let creepMilliseconds: Int64 = 1
    /// By how much it steps back from there.
    static let guardMilliseconds: Int64 = 10
    /// Half of what a terminal holds for a reader.
    static let maximumBytes = 2048

    /// When to look next; nil: at once.
    private(set) var aim: Uptime?
    private var lastEnd: Uptime?
    private var lastBytes = 0
    private var regular = 0

    /// How one epoch was read.
    struct Reading {
        /// When the last of its bytes were read.
        var end: Uptime
        /// From the times of the epochs, milliseconds.
        var period: Int64
        var bytes: Int
        /// Whether bytes came after the line was first looked at.
        var hadToWait: Bool
        /// Milliseconds that a byte takes on the line; 0 where it has no speed.
        var byteMilliseconds: Double
    }

    /// Takes in a complete epoch.
    mutating func note(_ reading: Reading) {
        let before = lastEnd
        lastEnd = reading.end
        guard Self.periods.contains(reading.period), reading.bytes <= Self.maximumBytes,
            let before, isRegular(reading, after: before)
        else { return reset(keeping: reading.end) }
        regular = min(regular + 1, Self.epochsUntilKnown)
        defer { lastBytes = reading.bytes }
        guard regular >= Self.epochsUntilKnown else { return }
        guard let aim, !reading.hadToWait else {
            self.aim = reading.end.advanced(
                byMilliseconds: reading.period + Self.guardMilliseconds)
            return
        }
        // Fewer bytes than before ended earlier by the time that they would have taken.
        let shorter = Double(max(0, lastBytes - reading.bytes)) * reading.byteMilliseconds
        self.aim = aim.advanced(
            byMilliseconds: reading.period - Self.creepMilliseconds - Int64(shorter))
    }

    /// The receiver did something else.
    mutating func reset() {
        reset(keeping: nil)
    }

    private mutating func reset(keeping end: Uptime?) {
        self = LineRhythm()
        lastEnd = end
    }

    private func isRegular(_ reading: Reading, after before: Uptime) -> Bool {
        let interval = reading.end.milliseconds - before.milliseconds
        return abs(interval - reading.period)
            <= max(Self.toleranceMilliseconds, reading.period / Self.toleranceDivisor)
    }
}
