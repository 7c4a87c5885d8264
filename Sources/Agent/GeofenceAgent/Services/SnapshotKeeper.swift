import Timekeeping

/// Leaves what the pipeline knows to the next process of the same boot.
///
/// Invariants:
/// - A commit of the queue carries a token of its own, and the slot with that token holds what was
///   known when it was decided, or later with nothing decided since. So a process finds the snapshot
///   that fits the queue, or none: no event is lost or decided twice.
/// - It is written before the commit, beside the one of the commit before: whoever is killed between
///   the two leaves the earlier pair.
/// - Whatever fails here costs the snapshot, never an event.
struct SnapshotKeeper: Sendable {
    /// Between two that no commit asks for: less than the period of most receivers, and for faster
    /// ones often enough.
    static let pauseMilliseconds: Int64 = 700

    private let store: any SnapshotStore
    private let bootID: BootID
    private let log: any LogSink
    /// Of the queue's last commit; nil: not known here.
    private var committed: String?
    /// Of the commit that is under way, or that the storage has refused so far.
    private var announced: String?
    /// Of `committed`; the other one is that of `announced`.
    private var slot = 0
    /// Of the last one that no commit asked for.
    private var lastWrite: Uptime?
    private var hasFailed = false

    init(_ store: any SnapshotStore, bootID: BootID, log: any LogSink) {
        self.store = store
        self.bootID = bootID
        self.log = log
    }

    /// The snapshot that belongs to what the queue holds; nil: there is none.
    mutating func find(_ token: String) -> [UInt8]? {
        for candidate in 0...1 {
            guard let bytes = store.read(candidate),
                let file = SnapshotFile(bytes, bootID: bootID), file.token == token
            else { continue }
            committed = token
            slot = candidate
            return file.content
        }
        return nil
    }

    /// Before a commit: gives the token that goes with it.
    mutating func announce(_ pipeline: TrackingPipeline) -> String {
        let token = announced ?? String(UInt64.random(in: 1...UInt64.max), radix: 16)
        announced = token
        write(pipeline, token, to: 1 - slot)
        return token
    }

    /// The commit has returned.
    mutating func commitReturned() {
        guard let token = announced else { return }
        committed = token
        announced = nil
        slot = 1 - slot
    }

    /// After an input that led to no commit.
    mutating func keep(_ pipeline: TrackingPipeline, at now: Uptime) {
        if let lastWrite,
            now.milliseconds - lastWrite.milliseconds < Self.pauseMilliseconds
        {
            return
        }
        lastWrite = now
        if let announced {
            write(pipeline, announced, to: 1 - slot)
        } else if let committed {
            write(pipeline, committed, to: slot)
        }
    }

    private mutating func write(
        _ pipeline: TrackingPipeline, _ token: String, to slot: Int
    ) {
        guard let snapshot = pipeline.snapshot else { return }
        do throws(SnapshotStoreError) {
            try store.write(
                SnapshotFile.bytes(of: snapshot, token: token, bootID: bootID), to: slot)
            hasFailed = false
        } catch {
            if !hasFailed {
                log.write(
                    LogLine(
                        .warning,
                        "nothing is left for the next process, for which a restart is an outage: "
                            + error.detail))
            }
            hasFailed = true
        }
    }
}
