/// What is known of the network from outside the requests.
struct NetworkHint: Hashable, Sendable {
    private(set) var hasRoute = true
    /// A change came while a request was under way: the spread drawn for it, seconds.
    private var changedDuringRequest: Double?
    private var isRequestRunning = false
    /// There was no route at some time of the last request: if nobody answered it, that is why.
    private(set) var lackedRoute = false
    /// The next request is already spread after a change; more changes do not bring it forward.
    private var isSpreadPending = false

    mutating func requestStarted() {
        isRequestRunning = true
        lackedRoute = !hasRoute
        changedDuringRequest = nil
        isSpreadPending = false
    }

    mutating func requestEnded() {
        isRequestRunning = false
        changedDuringRequest = nil
    }

    /// The spread for a change that came during the request that just failed; nil: none came.
    mutating func takeChangeDuringRequest() -> Double? {
        guard let spread = changedDuringRequest else { return nil }
        changedDuringRequest = nil
        isSpreadPending = true
        return spread
    }

    /// Whether the change is news for a backoff that is under way.
    mutating func changed(hasRoute: Bool, spreadSeconds: Double) -> Bool {
        self.hasRoute = hasRoute
        guard hasRoute else {
            if isRequestRunning { lackedRoute = true }
            return false
        }
        if isRequestRunning {
            changedDuringRequest = changedDuringRequest ?? spreadSeconds
            return false
        }
        defer { isSpreadPending = true }
        return !isSpreadPending
    }
}
