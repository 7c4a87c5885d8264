import Snapshots
import Timekeeping

/// The first epochs of a receiver that just opened or came back: good to watch, not to begin with.
///
/// A cold receiver's first positions may be hundreds of metres off at a modest claimed accuracy.
struct WarmUp: Hashable, Sendable {
    private var epochs = 0
    private var first: Uptime?
    private var last: Uptime?

    mutating func restart() {
        self = WarmUp()
    }

    /// Takes in a valid epoch and says whether it may seed a state.
    mutating func admits(
        at uptime: Uptime, accuracyMeters: Double, rules: FixFilterRules
    ) -> Bool {
        if let last, uptime.seconds(since: last) > rules.warmUpGapSeconds { restart() }
        let begin = first ?? uptime
        first = begin
        last = uptime
        if epochs <= rules.warmUpEpochs { epochs += 1 }
        return epochs > rules.warmUpEpochs
            && (accuracyMeters <= rules.warmUpAccuracyMeters
                || uptime.seconds(since: begin) >= rules.warmUpSeconds)
    }
}

extension WarmUp: Snapshotted {
    func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(epochs)
        snapshot.write(first)
        snapshot.write(last)
    }

    init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        epochs = try snapshot.readTally()
        first = try snapshot.read()
        last = try snapshot.read()
    }
}
