import Delivery
import Positioning
import Timekeeping

/// Ties the uptime of this boot to UTC, and notices when the tie has to be made anew.
struct ClockState: Sendable {
    /// The anchor that is stored, or about to be.
    private(set) var anchor: ClockAnchor?
    private var isPending = false

    /// Takes in a trusted time and who gave it. The first one of a boot, and the first one of a
    /// receiver, make an anchor that should be written at once, and the answer is true; a clock that drifted makes one that goes with the next commit,
    /// so that nothing is written while nothing happens.
    mutating func learn(
        _ time: UTCTime, from source: ClockAnchor.Source, at uptime: Uptime, bootID: BootID
    ) -> Bool {
        if let anchor, anchor.bootID == bootID, anchor.source == source || source != .gnss,
            abs(anchor.utc(at: uptime).milliseconds(since: time)) <= Self.toleranceMilliseconds
        {
            return false
        }
        let isFirst =
            anchor?.bootID != bootID || (source == .gnss && anchor?.source == .disciplined)
        anchor = ClockAnchor(bootID: bootID, uptime: uptime, utc: time, source: source)
        isPending = true
        return isFirst
    }

    /// An anchor of this boot that an earlier run stored.
    mutating func restore(_ stored: ClockAnchor) {
        anchor = stored
    }

    /// The anchor to write with the next commit, once.
    mutating func takeAnchor() -> ClockAnchor? {
        defer { isPending = false }
        return isPending ? anchor : nil
    }

    /// The error that an anchored time may have; the wire promises a second.
    private static let toleranceMilliseconds: Int64 = 500
}
