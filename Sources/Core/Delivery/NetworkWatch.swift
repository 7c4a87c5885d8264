/// Decides when to look at the network, and whether what is seen is news.
///
/// A message of the kernel only says: look again. So a lost one costs a minute and no more, since the
/// network is looked at once a minute in any case. Times are milliseconds of a clock that stands
/// still while the machine is suspended.
public struct NetworkWatch: Hashable, Sendable {
    /// From the first message to the look, so that one change of many messages is looked at once.
    public static let settleMilliseconds: Int64 = 1000
    public static let pollMilliseconds: Int64 = 60_000
    /// A longer stay of the clock is a suspension; less is the difference between two readings.
    static let suspensionMilliseconds: Int64 = 2000

    /// When to look next.
    public private(set) var lookAt: Int64
    private var isSettling = false
    private var last: NetworkView?
    private var lastSuspended: Int64?

    /// Looks at once.
    public init(at now: Int64) {
        lookAt = now
    }

    /// The kernel said something, or that it could not say everything.
    public mutating func heard(at now: Int64) {
        guard !isSettling else { return }
        isSettling = true
        lookAt = min(lookAt, now + Self.settleMilliseconds)
    }

    /// Takes in what was seen; `suspendedMilliseconds` is for how long the machine has been suspended
    /// since it was booted. Nil: there is nothing new, or the kernel showed nothing (`view` is nil).
    ///
    /// At first a route is taken for granted: only its absence is news.
    public mutating func looked(
        _ view: NetworkView?, suspendedMilliseconds: Int64, at now: Int64
    ) -> NetworkNews? {
        isSettling = false
        lookAt = now + Self.pollMilliseconds
        let isResumed =
            lastSuspended.map { suspendedMilliseconds - $0 > Self.suspensionMilliseconds } ?? false
        lastSuspended = suspendedMilliseconds
        let before = last
        last = view ?? before
        guard !isResumed else {
            return NetworkNews(hasRoute: last?.hasRoute ?? true, isResumed: true)
        }
        guard let view, view != before else { return nil }
        if before == nil, view.hasRoute { return nil }
        return NetworkNews(hasRoute: view.hasRoute)
    }
}
