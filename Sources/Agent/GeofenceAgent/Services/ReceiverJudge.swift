import Positioning
import Timekeeping

/// Says how a receiver is from what its source says and from what its epochs are worth. Pure.
///
/// A source that hears a position says `fix`; whether the position can be used, only the quality
/// gate knows.
struct ReceiverJudge: Sendable {
    /// Epochs in a row whose time does not advance, before it is told: one may be a repetition.
    static let staleEpochs = 3

    /// What the source said last.
    var source = SourceHealth(.opening, "the agent has just started")
    private var latest: FilteredFix?
    private var staleRun = 0

    mutating func sourceOpened() {
        latest = nil
        staleRun = 0
    }

    /// Takes in an epoch.
    mutating func take(_ judged: FilteredFix) {
        latest = judged
        staleRun = judged.verdict == .stale ? staleRun + 1 : 0
    }

    func health(at now: Uptime, expirySeconds: Double) -> SourceHealth {
        guard source.state == .fix, let latest else { return source }
        let age = now.seconds(since: latest.fix.uptime)
        if age > expirySeconds {
            return SourceHealth(
                .stale,
                "no epoch from the receiver for \(Int(age)) s, although it is open: check its "
                    + "cable and its settings")
        }
        return judged(latest) ?? source
    }

    /// What keeps a position from being used; nil: nothing.
    private func judged(_ latest: FilteredFix) -> SourceHealth? {
        switch latest.verdict {
        case .stale where latest.fix.integrityFlags.contains(.frozen):
            SourceHealth(
                .frozen,
                "the receiver repeats one position to the last digit while it claims to move: "
                    + "restart the receiver")
        case .stale where staleRun >= Self.staleEpochs:
            SourceHealth(
                .stale, "the time of the receiver does not advance: restart the receiver")
        case .invalid where latest.fix.coordinate != nil:
            SourceHealth(
                .noFix,
                "the receiver calls its position \(latest.fix.quality.name): switch that off in "
                    + "the receiver")
        case .estimated:
            SourceHealth(
                .noFix,
                "dead reckoning only: check the antenna, or set rules.accept_estimated to use it "
                    + "for two minutes")
        case .nullIsland:
            SourceHealth(.noFix, "the receiver claims to be at 0 N 0 E: restart the receiver")
        case .inaccurate:
            SourceHealth(
                .fix, "accuracy \(Int(min(latest.accuracyMeters, 1e9))) m: too coarse to be used")
        case .quarantined:
            SourceHealth(.fix, "the position jumped: held until others agree with it")
        case .ok, .departOnly, .stale, .invalid: nil
        }
    }
}
