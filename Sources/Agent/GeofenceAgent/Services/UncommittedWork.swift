import Delivery
import Geofencing

/// What was decided and not yet committed, while the storage takes nothing.
///
/// It is bounded; what has to give way is counted by kind, so that the server is told.
struct UncommittedWork: Sendable {
    /// Events that are kept, as many as the queue keeps in memory when the disk fails.
    static let draftLimit = 256
    /// Kinds in the order in which they give way; what is not named never does.
    private static let order: [[EventKind]] = [
        [.pass], [.enter, .exit, .dwell, .moved, .coverageLost, .coverageRestored],
        [.visitStarted, .visitEnded],
    ]

    private(set) var drafts: [EventDraft] = []
    /// Drafts that gave way, by kind.
    private(set) var lost: [EventKind: Int64] = [:]
    private var values: [StateKey: [UInt8]?] = [:]
    private var anchor: ClockAnchor?

    var isEmpty: Bool { drafts.isEmpty && lost.isEmpty && values.isEmpty && anchor == nil }

    /// The state that goes with the drafts: the latest of everything.
    var update: StateUpdate { StateUpdate(values: values, clockAnchor: anchor) }

    /// What was shown, by itself: it may be written before its event, and never after it.
    var claims: StateUpdate {
        StateUpdate(values: values.filter { $0.key == .cooldowns })
    }

    mutating func add(
        _ drafts: [EventDraft], values: [StateKey: [UInt8]?], anchor: ClockAnchor?
    ) {
        self.drafts += drafts
        self.values.merge(values) { _, new in new }
        self.anchor = anchor ?? self.anchor
        while self.drafts.count > Self.draftLimit, let index = nextToGiveWay { drop(index) }
    }

    /// The storage has taken everything.
    mutating func committed() {
        self = UncommittedWork()
    }

    /// The first draft can never be written.
    mutating func dropFirst() {
        if !drafts.isEmpty { drop(0) }
    }

    /// The first draft was written, without the state.
    mutating func committedFirst() {
        if !drafts.isEmpty { drafts.removeFirst() }
    }

    private mutating func drop(_ index: Int) {
        lost[drafts.remove(at: index).kind, default: 0] += 1
    }

    private var nextToGiveWay: Int? {
        for kinds in Self.order {
            if let index = drafts.firstIndex(where: { kinds.contains($0.kind) }) { return index }
        }
        return drafts.isEmpty ? nil : 0
    }
}
