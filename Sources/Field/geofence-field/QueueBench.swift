import AgentStorage
import CommandLineTool
import Delivery
import FieldTools
import Glibc
import Timekeeping

/// The agent's queue at work in a folder, for measuring what it costs.
struct QueueBench {
    let queue: SQLiteEventQueue
    private let load: EventLoad
    private var next = 0

    /// Opens or makes the queue in `directory`, whose parent must exist.
    init(_ load: EventLoad, in directory: String, device: String) throws {
        self.load = load
        queue = try SQLiteEventQueue(
            directory: directory, deviceID: device, hardwareID: nil,
            limits: StorageLimits(maxBytes: Self.maxBytes, ballastBytes: Self.ballastBytes),
            timekeeper: BenchTimekeeper(), log: SilentLog())
        guard queue.health == .durable, !load.items.isEmpty else {
            throw CommandFailure("\(directory): \(queue.health.problem ?? "no events to commit")")
        }
    }

    private static let maxBytes: Int64 = 16 << 30
    private static let ballastBytes: Int64 = 1 << 20

    /// What one commit gets from the agent.
    struct Lot {
        var drafts: [EventDraft] = []
        var state = StateUpdate.none
    }

    /// The next lots of `size` events each; they are made before a clock runs.
    ///
    /// - Parameter isStateKept: with the tracker state, which an agent goes on from.
    mutating func lots(_ count: Int, of size: Int, isStateKept: Bool = true) -> [Lot] {
        (0..<count).map { _ in
            var lot = Lot()
            for _ in 0..<size {
                let item = load.items[next]
                lot.drafts.append(item.draft)
                if isStateKept { lot.state = item.state }
                next = (next + 1) % load.items.count
            }
            return lot
        }
    }

    /// Commits each lot in one transaction, as the agent does.
    func commit(_ lots: [Lot]) throws {
        for lot in lots {
            let events = try queue.commit(lot.drafts, state: lot.state)
            guard events.count == lot.drafts.count, queue.health == .durable else {
                throw CommandFailure(
                    "the queue did not keep \(lot.drafts.count) events: \(queue.health.name)")
            }
        }
    }

    /// Acknowledges the oldest pending events, `count` at once as after a receipt, until none is
    /// left; answers how many transactions that took.
    func settle(_ count: Int) throws -> Int {
        var transactions = 0
        while true {
            let events = try queue.pending(
                .oldest(limit: count, maxBytes: .max, excluding: []))
            guard !events.isEmpty else { return transactions }
            try queue.settle(events.map { Settlement(key: $0.key, fate: .acknowledged) })
            transactions += 1
        }
    }
}

/// The time of a queue that is measured.
private struct BenchTimekeeper: Timekeeper {
    var uptime: Uptime { Uptime(milliseconds: Int64(ElapsedClock.seconds * 1000)) }
    var wallClock: WallClockReading {
        WallClockReading(time: ElapsedClock.utc, isSynchronised: true)
    }
    let bootID = BootID("0123456789abcdef0123456789abcdef")
}

/// Its failures are seen in its health.
private struct SilentLog: LogSink {
    func write(_ line: LogLine) {}
}
