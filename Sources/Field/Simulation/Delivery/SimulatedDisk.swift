import Delivery
import Timekeeping

/// What is left of a simulated device's queue when its program or its power ends: all that was
/// committed, and nothing else.
public final class SimulatedDisk {
    /// What happens to the next transaction.
    public enum Fault: Hashable, Sendable {
        /// The program ends before the COMMIT: nothing of the transaction is left.
        case endsBeforeCommit
        /// The program ends after the COMMIT and before it hears of it: all of it is left.
        case endsAfterCommit
    }

    /// Events that may be pending before older ones give way.
    public let capacity: Int
    /// Nil: none.
    public var fault: Fault?
    var content = Content()
    private var epochs: UInt64

    /// What the tables of a queue hold.
    struct Content {
        var epoch = ""
        var lastSequence: Int64 = 0
        /// Ascending by key.
        var pending: [Row] = []
        /// Ascending by key after sorting; in the order of their settlements.
        var settled: [QueuedEvent] = []
        var counts = QueueCounts()
        var values: [StateKey: [UInt8]] = [:]
        /// The latest boot first.
        var anchors: [ClockAnchor] = []
        /// Told with the first commit after a damage: how many events it cost.
        var untoldLoss: Int64?
    }

    struct Row {
        var event: QueuedEvent
        var madeAt: UTCTime
    }

    /// `name` makes the epochs of one disk differ from those of another.
    public init(name: UInt64 = 1, capacity: Int = .max) {
        self.capacity = max(capacity, 8)
        epochs = name
        content.epoch = nextEpoch()
    }

    /// Damage was found at a start: pending events of which `survives` is true are taken over under
    /// their old epoch and sequence, a new epoch begins, and the state of the pipeline is gone.
    public func damage(_ survives: () -> Bool) {
        let old = content
        var next = Content()
        next.epoch = nextEpoch()
        let kept = old.pending.filter { _ in survives() }
        next.pending = kept.map { row in
            var moved = row
            moved.event.key -= Self.keyOffset
            return moved
        }
        let lost = Int64(old.pending.count - kept.count)
        next.counts = old.counts
        next.counts.pending = Int64(kept.count)
        next.counts.evicted += lost
        next.values = old.values
        next.values[.pipeline] = nil
        next.anchors = old.anchors
        next.untoldLoss = lost
        content = next
    }

    /// As far below as the real salvage puts events of an earlier epoch.
    private static let keyOffset: Int64 = 1 << 40

    private func nextEpoch() -> String {
        epochs += 1 << 32
        let digits = String(epochs, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}
