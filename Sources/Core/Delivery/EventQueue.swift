import Timekeeping

/// Where events stay until they have a receipt. Invariants:
///
/// - When `commit` returns, its events and its state survive (`health` says where they do not).
/// - A committed event never changes; its row is touched once, by its settlement.
/// - An event leaves by receipt, dead letter or eviction, and `counts` is always balanced.
///
/// A queue belongs to one owner, which calls it from one thread or actor at a time.
public protocol EventQueue: AnyObject {
    /// Writes events and state in one transaction and names the events.
    ///
    /// The answer may hold more events than the drafts: what the queue itself had to tell
    /// (`queue_evicted`, `state_reset`) comes before them.
    func commit(_ drafts: [EventDraft], state: StateUpdate) throws(QueueError) -> [Event]

    /// The oldest pending events, as `selection` wants them.
    func pending(_ selection: BatchSelection) throws(QueueError) -> [QueuedEvent]

    /// Writes what became of events, and state, in one transaction. Keys that are not pending, or
    /// name another event now, are ignored.
    func settle(_ settlements: [Settlement], state: StateUpdate) throws(QueueError)

    var counts: QueueCounts { get }

    /// Names the file, or the memory, that gives the keys: another one after damage, and while memory
    /// stands in for the disk. Then a key names another event than before.
    var epoch: String { get }

    /// Events of any status with a key above `key`, oldest first; nil: the newest `limit` events.
    func events(after key: Int64?, limit: Int) throws(QueueError) -> [QueuedEvent]

    /// The key after which the newest `limit` events stand; `Int64.min` where there are no more.
    func startOfNewest(_ limit: Int) throws(QueueError) -> Int64

    /// How far each epoch has come of which events are kept.
    func positions() throws(QueueError) -> QueuePositions

    /// The newest dead letters, newest first.
    func deadLetters(limit: Int) throws(QueueError) -> [QueuedEvent]

    /// The newest anchor of each of the latest boots, latest boot first.
    var clockAnchors: [ClockAnchor] { get }

    /// A stored value; nil: there is none.
    func state(_ key: StateKey) throws(QueueError) -> [UInt8]?

    /// Writes positions for the device's own use in a transaction of their own. They have no number
    /// and no receipt, `counts` knows nothing of them, and they give way before any event does. What
    /// cannot be written is lost, and counted in `breadcrumbs`.
    func keep(_ breadcrumbs: [Breadcrumb])

    /// Nil where none are kept.
    var breadcrumbs: BreadcrumbCounts? { get }

    var health: StorageHealth { get }

    /// Housekeeping that is due at `now`; call it every few seconds.
    func maintain(at now: Uptime)

    /// Ends in an orderly way: the next start need not check the file.
    func close()
}

extension EventQueue {
    /// A queue that keeps no positions.
    public func keep(_ breadcrumbs: [Breadcrumb]) {}

    public var breadcrumbs: BreadcrumbCounts? { nil }

    /// Writes what became of events in one transaction.
    public func settle(_ settlements: [Settlement]) throws(QueueError) {
        try settle(settlements, state: .none)
    }
}
