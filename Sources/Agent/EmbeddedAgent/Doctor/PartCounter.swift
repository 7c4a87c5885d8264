import Synchronization

/// Counts the parts of an examination as they end, whichever ends first.
final class PartCounter: Sendable {
    private let done = Mutex(0)
    private let report: @Sendable (Int) -> Void

    init(report: @escaping @Sendable (Int) -> Void) {
        self.report = report
    }

    func countOne() {
        report(
            done.withLock { done in
                done += 1
                return done
            })
    }
}
