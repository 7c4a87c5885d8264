import Timekeeping

/// The events of refused batches: those among which the offender is searched, and those that were
/// refused alone and are held for another offer.
struct RefusedEvents: Hashable, Sendable {
    private var suspects = Suspects()
    private var bisection = Bisection()

    /// What a refusal means for the events of its batch.
    struct Finding {
        var settlements: [Settlement] = []
        /// No more requests for a search may go in this hour.
        var isBudgetSpent = false
        /// Whether the batch was one of ours, and no ordinary one.
        var wasAsked = true
    }

    /// Keys that are no part of ordinary batches.
    var keys: Set<Int64> { suspects.keys.union(bisection.keys) }

    /// How many were refused alone, and wait for another offer.
    var heldCount: Int { suspects.count }

    /// Whether the running request asks about events of ours.
    var isAsked: Bool { bisection.isRunning || suspects.offered != nil }

    /// When something of ours may go again that may not go now; nil: there is no such time.
    func earliest(at now: Uptime) -> Uptime? {
        [suspects.earliest, bisection.blockedUntil(at: now)].compactMap { $0 }.min()
    }

    /// Until when no further batch may be refused, since too many events wait; nil: one may.
    func takesNoneUntil(at now: Uptime) -> Uptime? {
        bisection.isFull ? bisection.blockedUntil(at: now) : nil
    }

    // MARK: Asking

    /// The keys of the next request; nil: nothing of ours goes now.
    mutating func next(at now: Uptime) -> [Int64]? {
        if let key = suspects.next(at: now) { return [key] }
        return bisection.next(at: now)
    }

    /// No request is running; what was held for long enough is as any event.
    mutating func expire(at now: Uptime) {
        putBack()
        suspects.expire(at: now)
    }

    /// The running request was answered in a way that says nothing about its events.
    mutating func putBack() {
        suspects.putBack()
        bisection.putBack()
    }

    /// None of the events that were to go is in the queue any more; false: they were none of ours.
    mutating func foundNothing(at now: Uptime) -> Bool {
        if suspects.offered != nil {
            suspects.dropOffered()
            return true
        }
        guard bisection.isRunning else { return false }
        bisection.taken()
        noteEnd(at: now)
        return true
    }

    /// Keys name other events now.
    mutating func forget() {
        suspects = Suspects()
        bisection.forget()
    }

    // MARK: Answers

    /// A receipt came that names events.
    mutating func answered(_ receipt: ReceiptReading, at now: Uptime) {
        suspects.answered(receipt)
        if receipt.acceptedCount > 0 {
            // A duplicate is none: a server may know an old event and be unable to take any.
            suspects.proved(at: now)
            bisection.accepted(receipt.acceptedCount, at: now)
        }
        if bisection.isRunning { bisection.taken() } else { bisection.forget(receipt.answered) }
        noteEnd(at: now)
    }

    /// A batch of several events was refused for its size.
    mutating func tooLarge(_ batch: OutgoingBatch, at now: Uptime) {
        if bisection.isRunning { _ = bisection.refused(batch.events.map(\.key), at: now) }
    }

    /// A batch was refused for its events, or a single event for its size.
    mutating func refused(
        _ batch: OutgoingBatch, _ refusal: Refusal, at now: Uptime
    ) -> Finding {
        let isTooLarge = refusal.status == 413
        if suspects.offered != nil, let event = batch.events.first,
            let settlements = suspects.refused(event, isTooLarge: isTooLarge)
        {
            return Finding(settlements: settlements)
        }
        var finding = Finding(wasAsked: bisection.isRunning)
        if !finding.wasAsked { bisection.forget(batch.events.map(\.key)) }
        let offender = bisection.refused(batch.events.map(\.key), at: now)
        finding.isBudgetSpent = bisection.blockedUntil(at: now) != nil
        if let event = batch.events.first(where: { $0.key == offender }) {
            suspects.hold(event, code: refusal.words, isTooLarge: isTooLarge, at: now)
        }
        noteEnd(at: now)
        return finding
    }

    private mutating func noteEnd(at now: Uptime) {
        if let count = bisection.takeAcceptedCount(at: now) {
            suspects.searchEnded(accepting: count, at: now)
        }
    }
}
