import Timekeeping

/// Events that were refused on their own, which may be their fault or the server's, also where the
/// answer points at the event. A server, or a proxy, that refuses everything for a while must cost
/// no event: so each is offered again, alone, after the server has accepted another event, until it
/// `isToBeGivenUp`.
///
/// One accepted request is worth a few such offers, of events that were refused before it; a search
/// that singles events out is worth one for each. A request that fails on the way to an offer ends
/// what was proved: the server may be another when it is back. An event that is taken in the end says
/// that the refusals were the server's: then all are as if nothing had been.
///
/// An event that was held for an hour goes as any event, and what was said of it is remembered.
struct Suspects: Hashable, Sendable {
    private var known: [Int64: Suspect] = [:]
    /// How many may be offered again on what was proved last.
    private var offers = 0
    /// The one that the running request offers again; nil: it offers none.
    private(set) var offered: Int64?

    /// Those that are no part of ordinary batches.
    var keys: Set<Int64> { Set(known.lazy.filter { $0.value.heldUntil != nil }.map(\.key)) }
    var count: Int { known.values.lazy.filter { $0.heldUntil != nil }.count }
    var earliest: Uptime? { known.values.lazy.compactMap(\.heldUntil).min() }

    /// A search asked for this event alone, and it was refused.
    mutating func hold(_ event: QueuedEvent, code: String, isTooLarge: Bool, at now: Uptime) {
        let before = known[event.key]
        if before == nil, known.count >= UploadPolicy.suspectLimit {
            let oldest = known.lazy.filter { $0.value.heldUntil == nil }.map(\.key).min()
            guard let oldest else { return }
            known[oldest] = nil
        }
        var suspect = Suspect(event, code: code, isTooLarge: isTooLarge, at: now)
        if let before, before.isSaid(of: event, isTooLarge: isTooLarge) {
            suspect.refusals = before.refusals
        }
        known[event.key] = suspect
    }

    mutating func expire(at now: Uptime) {
        guard let earliest, earliest <= now else { return }
        for (key, suspect) in known {
            if let end = suspect.heldUntil, end <= now { known[key]?.heldUntil = nil }
        }
    }

    // MARK: Further offers

    /// The key of the next request; nil: there is no proof, or nothing to offer.
    mutating func next(at now: Uptime) -> Int64? {
        guard offers > 0 else { return nil }
        offered = known.lazy.filter { $0.value.isDue(at: now) }.map(\.key).min()
        return offered
    }

    /// The running request was answered in a way that says nothing about its events.
    mutating func putBack() {
        if offered != nil { offers = 0 }
        offered = nil
    }

    /// The offered event is no longer in the queue.
    mutating func dropOffered() {
        if let offered { known[offered] = nil }
        offered = nil
    }

    /// The offered event was refused again; nil where that is no further word on it: the row holds
    /// another event by now, or it was too large (413) once and wrong the other time.
    mutating func refused(_ event: QueuedEvent, isTooLarge: Bool) -> [Settlement]? {
        offered = nil
        offers = max(0, offers - 1)
        guard var suspect = known.removeValue(forKey: event.key),
            suspect.isSaid(of: event, isTooLarge: isTooLarge)
        else { return nil }
        suspect.refuse()
        if suspect.isToBeGivenUp { return [Settlement(event, .dead(code: suspect.code))] }
        known[event.key] = suspect
        return []
    }

    /// A receipt says something about events, whoever asked for them.
    mutating func answered(_ receipt: ReceiptReading) {
        offered = nil
        guard !known.isEmpty else { return }
        if receipt.taken.contains(where: { known[$0] != nil }) { known = [:] }
        for key in receipt.answered { known[key] = nil }
    }

    // MARK: Proof

    /// The server has accepted another event.
    mutating func proved(at now: Uptime) {
        offers = max(offers, UploadPolicy.loneRefusals)
        for key in known.keys { known[key]?.prove(at: now) }
    }

    /// The search is over that has found those which are sought, or its requests are spent; the server
    /// accepted so many events in it.
    mutating func searchEnded(accepting count: Int, at now: Uptime) {
        let found = known.filter(\.value.isSought).keys
        let areSingledOut = count >= found.count * UploadPolicy.acceptedForEachSuspect
        for key in found {
            known[key]?.isSought = false
            guard areSingledOut else { continue }
            known[key]?.isSingledOut = true
            known[key]?.prove(at: now)
        }
        if areSingledOut { offers = max(offers, found.count) }
    }
}
