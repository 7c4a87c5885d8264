import Timekeeping

/// Events that the server does not want yet, each with the time from which it may be sent again.
/// In memory only: after a restart they are simply offered again.
///
/// They are kept as runs of one answer: a server that defers a backlog of 100,000 events, for a quota
/// or at the end of a trial, must neither fill the memory nor stop the events behind them.
struct Deferrals: Hashable, Sendable {
    private var runs: [Run] = []

    private struct Run: Hashable, Sendable {
        var keys: ClosedRange<Int64>
        var until: Uptime
    }

    var keys: KeySet { KeySet(ranges: runs.map(\.keys)) }
    var isFull: Bool { runs.count >= UploadPolicy.deferralLimit }
    /// When the first of them may be sent again; nil: there is none.
    var earliest: Uptime? { runs.lazy.map(\.until).min() }

    /// What one answer defers, ascending; nil seconds: the server gave no time. `settled` are events
    /// of the answer that leave the queue, over which a run goes on.
    mutating func put(
        _ deferred: [(key: Int64, seconds: Double?)], settled: Set<Int64>, in batch: [QueuedEvent],
        at now: Uptime
    ) {
        var asked: [Int64: Double?] = [:]
        for (key, seconds) in deferred { asked[key] = .some(seconds) }
        var run: Run?
        for event in batch where !settled.contains(event.key) {
            let until = asked[event.key].map {
                now.advanced(bySeconds: Self.clamped($0))
            }
            if let running = run, until != running.until {
                runs.append(running)
                run = nil
            }
            guard let until else { continue }
            let first = min(run?.keys.lowerBound ?? event.key, event.key)
            run = Run(keys: first...max(run?.keys.upperBound ?? event.key, event.key), until: until)
        }
        if let run { runs.append(run) }
    }

    private static func clamped(_ seconds: Double?) -> Double {
        let asked = seconds.flatMap { $0.isNaN ? nil : $0 } ?? UploadPolicy.defaultDeferralSeconds
        let range = UploadPolicy.deferralRange
        return min(max(asked, range.lowerBound), range.upperBound)
    }

    mutating func expire(at now: Uptime) {
        guard let earliest, earliest <= now else { return }
        runs.removeAll { $0.until <= now }
    }
}
