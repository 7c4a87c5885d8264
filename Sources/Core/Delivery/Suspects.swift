import Timekeeping

/// Events that were refused on their own, which may be their fault or the server's, also where the
/// answer points at the event. A server, or a proxy, that refuses everything for a while must cost
/// no event: so each is offered once more, alone, after the server has accepted another event, and
/// is given up only when it is refused again.
///
/// One accepted request is worth one such offer, of an event that was refused before it; the end of a
/// bisection in which the server accepted most events is worth one for each. A request that fails on
/// the way to such an offer ends what was proved: the server may be another when it is back. An event that is taken in the end says that the refusals were
/// the server's: then all that are held go out again as if nothing had been.
struct Suspects: Hashable, Sendable {
    private var held: [Int64: Held] = [:]
    /// How many may be offered again, until `proofEnd`.
    private var offers = 0
    private var proofEnd = Uptime(milliseconds: 0)
    /// The one that the running request offers again; nil: it offers none.
    private(set) var offered: Int64?

    private struct Held: Hashable, Sendable {
        var event: String
        var code: String
        var until: Uptime
        /// How often it is still to be refused, each time after another event was accepted.
        var refusalsLeft: Int
        /// What `refusalsLeft` was at first.
        var offers: Int
        /// Whether the server has accepted another event since it was refused.
        var isDue = false
    }

    var keys: Set<Int64> { Set(held.keys) }
    var count: Int { held.count }
    var earliest: Uptime? { held.values.map(\.until).min() }

    /// `offers` is after how many further refusals it is given up.
    mutating func hold(_ event: QueuedEvent, code: String, offers: Int, at now: Uptime) {
        guard held.count < UploadPolicy.suspectLimit || held[event.key] != nil else { return }
        held[event.key] = Held(
            event: event.clientEventID, code: code,
            until: now.advanced(bySeconds: UploadPolicy.suspectSeconds), refusalsLeft: offers,
            offers: offers)
    }

    // MARK: The second offer

    /// The key of the next request; nil: there is no proof, or nothing to offer.
    mutating func next(at now: Uptime) -> Int64? {
        guard offers > 0, now < proofEnd,
            let key = held.lazy.filter({ $0.value.isDue }).map(\.key).min()
        else { return nil }
        offered = key
        return key
    }

    /// The running request was answered in a way that says nothing about its events.
    mutating func putBack() {
        if offered != nil { offers = 0 }
        offered = nil
    }

    /// The offered event is no longer in the queue.
    mutating func dropOffered() {
        if let offered { held[offered] = nil }
        offered = nil
    }

    /// The offered event was refused again; nil where that is no second word on it: the row holds
    /// another event by now, or it was too large (413) once and wrong the other time.
    mutating func refused(_ event: QueuedEvent, offers: Int) -> [Settlement]? {
        offered = nil
        self.offers = max(0, self.offers - 1)
        guard var found = held.removeValue(forKey: event.key), found.event == event.clientEventID,
            found.offers == offers
        else { return nil }
        found.refusalsLeft -= 1
        guard found.refusalsLeft > 0 else {
            return [Settlement(event, .dead(code: found.code))]
        }
        found.isDue = false
        held[event.key] = found
        return []
    }

    /// A receipt says something about these events.
    mutating func answered(_ keys: some Sequence<Int64>, isTaken: Bool) {
        if offered != nil, isTaken { held.removeAll() }
        offered = nil
        if !held.isEmpty { for key in keys { held[key] = nil } }
        if held.isEmpty { offers = 0 }
    }

    // MARK: Proof

    /// The server has accepted another event.
    mutating func proved(at now: Uptime) {
        guard !held.isEmpty else { return }
        prove(max(offers, 1), at: now)
    }

    /// A bisection is over in which the server accepted so many events.
    mutating func proved(byBisectionAccepting count: Int, at now: Uptime) {
        guard count >= held.count * UploadPolicy.acceptedForEachSuspect else { return }
        prove(held.count, at: now)
    }

    private mutating func prove(_ offers: Int, at now: Uptime) {
        self.offers = offers
        proofEnd = now.advanced(bySeconds: UploadPolicy.proofSeconds)
        for key in held.keys { held[key]?.isDue = true }
    }

    mutating func expire(at now: Uptime) {
        guard let earliest, earliest <= now else { return }
        held = held.filter { $0.value.until > now }
    }
}
