import Timekeeping

/// What is known of an event that was refused on its own.
struct Suspect: Hashable, Sendable {
    let event: String
    let code: String
    /// Whether it was refused for its size.
    let isTooLarge: Bool
    /// Until when it is no part of ordinary batches; nil: it was held for long enough.
    var heldUntil: Uptime?
    /// Whether the search that has found it goes on: it is not offered before its end.
    var isSought = true
    /// Whether the server accepted most of the events among which it was found.
    var isSingledOut = false
    /// How often it was refused when it was offered again.
    var refusals = 0
    /// Until when it may be offered again, as the server has accepted another event after its last
    /// refusal; nil: it has not.
    private var provenUntil: Uptime?

    init(_ event: QueuedEvent, code: String, isTooLarge: Bool, at now: Uptime) {
        self.event = event.clientEventID
        self.code = code
        self.isTooLarge = isTooLarge
        heldUntil = now.advanced(bySeconds: UploadPolicy.suspectSeconds)
    }

    /// How often it is to be refused when it is offered again. One that nothing singles out may have
    /// met a server that refused everything, which may do so again just after it has accepted an event.
    private var refusalsNeeded: Int {
        if isTooLarge { return UploadPolicy.tooLargeRefusals }
        return isSingledOut ? 1 : UploadPolicy.loneRefusals
    }

    var isToBeGivenUp: Bool { refusals >= refusalsNeeded }

    func isDue(at now: Uptime) -> Bool {
        guard heldUntil != nil, !isSought, let provenUntil else { return false }
        return now < provenUntil
    }

    /// Whether a refusal now says again what the last one said, and of the same event.
    func isSaid(of event: QueuedEvent, isTooLarge: Bool) -> Bool {
        self.event == event.clientEventID && self.isTooLarge == isTooLarge
    }

    /// The server has accepted another event.
    mutating func prove(at now: Uptime) {
        provenUntil = now.advanced(bySeconds: UploadPolicy.proofSeconds)
    }

    /// It was offered again, and refused.
    mutating func refuse() {
        refusals += 1
        provenUntil = nil
    }
}
