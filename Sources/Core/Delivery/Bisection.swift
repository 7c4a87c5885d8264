import Timekeeping

/// Finds the events for which a server refuses whole batches (400, 422).
///
/// A refused group is halved until single events are refused. When one half is taken, the other is
/// known to hold an offender and is halved without being asked again; a single event is always
/// asked on its own before it is blamed.
struct Bisection: Hashable, Sendable {
    /// Groups that are still to be sent, the next one last.
    private var groups: [Group] = []
    /// The group that the running request sends; nil: none of ours.
    private var current: Group?
    /// Events that the server has accepted in this search.
    private var acceptedCount = 0
    /// When the last of them was; nil: none since a request of it failed.
    private var lastAccepted: Uptime?
    private var requestsInWindow = 0
    private var windowEnd: Uptime?

    private struct Group: Hashable, Sendable {
        var keys: [Int64]
        /// The group below it on the stack was refused together with it.
        var hasSuspectSibling = false
    }

    /// Keys that wait here and are not part of ordinary batches.
    var keys: [Int64] { groups.flatMap(\.keys) }

    /// Whether the running request sends a group of ours.
    var isRunning: Bool { current != nil }

    /// Whether no further refused batch should be taken in while the budget is spent.
    var isFull: Bool { groups.reduce(0) { $0 + $1.keys.count } >= UploadPolicy.bisectionKeyLimit }

    /// When a further request is allowed; nil: now.
    func blockedUntil(at now: Uptime) -> Uptime? {
        guard let windowEnd, now < windowEnd, requestsInWindow >= UploadPolicy.bisectionBudget
        else { return nil }
        return windowEnd
    }

    /// The keys of the next request, which counts against the budget.
    mutating func next(at now: Uptime) -> [Int64]? {
        guard blockedUntil(at: now) == nil, let group = groups.popLast() else { return nil }
        count(at: now)
        current = group
        return group.keys
    }

    private mutating func count(at now: Uptime) {
        if windowEnd.map({ now >= $0 }) ?? true {
            windowEnd = now.advanced(bySeconds: UploadPolicy.bisectionWindowSeconds)
            requestsInWindow = 0
        }
        requestsInWindow += 1
    }

    /// The running request was answered in a way that says nothing about its events, so that the server
    /// may be another when it goes again.
    mutating func putBack() {
        guard let group = current else { return }
        groups.append(group)
        current = nil
        lastAccepted = nil
    }

    /// Keys name other events now. What the search has cost this hour stays.
    mutating func forget() {
        groups = []
        current = nil
        acceptedCount = 0
    }

    /// The server has said something about these events apart from their groups.
    mutating func forget(_ keys: [Int64]) {
        guard !groups.isEmpty else { return }
        let known = Set(keys)
        for index in groups.indices { groups[index].keys.removeAll { known.contains($0) } }
        groups.removeAll(where: \.keys.isEmpty)
    }

    /// The running group was taken.
    mutating func taken() {
        guard let done = current else { return }
        current = nil
        guard done.hasSuspectSibling, let sibling = groups.last, sibling.keys.count > 1 else {
            return
        }
        groups.removeLast()
        split(sibling.keys)
    }

    /// A batch was refused. The answer is the event to blame, where the batch was a single one.
    mutating func refused(_ keys: [Int64], at now: Uptime) -> Int64? {
        // A server that refuses everything must not see one such request after the other.
        if current == nil, keys.count == 1 { count(at: now) }
        current = nil
        guard keys.count > 1 else { return keys.first }
        split(keys)
        return nil
    }

    /// The server has accepted events; those of the running group count.
    mutating func accepted(_ count: Int, at now: Uptime) {
        guard current != nil else { return }
        acceptedCount += count
        lastAccepted = now
    }

    /// Once everything is asked, or no more may be this hour, which ends the search: how many events
    /// the server accepted in it; 0 where the last one was so long ago that the server may be another
    /// by now; nil: the search goes on.
    mutating func takeAcceptedCount(at now: Uptime) -> Int? {
        guard current == nil, groups.isEmpty || blockedUntil(at: now) != nil else { return nil }
        defer { acceptedCount = 0 }
        guard let lastAccepted, now < lastAccepted.advanced(bySeconds: UploadPolicy.proofSeconds)
        else { return 0 }
        return acceptedCount
    }

    private mutating func split(_ keys: [Int64]) {
        let middle = keys.count / 2
        groups.append(Group(keys: Array(keys[middle...])))
        groups.append(Group(keys: Array(keys[..<middle]), hasSuspectSibling: true))
    }
}
