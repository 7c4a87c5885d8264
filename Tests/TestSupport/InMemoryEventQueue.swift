import Delivery
import Timekeeping
import WireFormat

/// An `EventQueue` without a disk, held to the same contract as the real one.
public final class InMemoryEventQueue: EventQueue {
    private var rows: [QueuedEvent] = []
    private var foreign: [QueuedEvent] = []
    private var pendingKeys: [Int64] = []
    private var values: [StateKey: [UInt8]] = [:]
    private var anchors: [ClockAnchor] = []
    private var oldestTimes: [Int64: UTCTime] = [:]
    private var exits = QueueCounts()
    private var isClosed = false
    public let epoch: String
    /// What it says of its disk; it works all the same.
    public var health = StorageHealth.durable

    public init(epoch: String = "0123456789abcdef0123456789abcdef") {
        self.epoch = epoch
    }

    /// With acknowledged events of an earlier epoch, whose keys are negative, as the real queue has
    /// them after a disk that refused writes.
    public init(earlier: String, _ drafts: [EventDraft]) {
        epoch = "0123456789abcdef0123456789abcdef"
        for (index, draft) in drafts.enumerated() {
            let event = Event(
                clientEventID: "\(earlier.prefix(8))-\(index + 1)",
                position: QueuePosition(epoch: earlier, sequence: Int64(index + 1)), content: draft)
            foreign.append(
                QueuedEvent(
                    key: Int64(index - drafts.count), clientEventID: event.clientEventID,
                    position: event.position, kind: draft.kind, status: .acknowledged,
                    payload: (try? WireCoding.encode(WireEvent(event))) ?? []))
        }
    }

    public func commit(
        _ drafts: [EventDraft], state: StateUpdate
    ) throws(QueueError) -> [Event] {
        try checkOpen()
        var events: [Event] = []
        var added: [QueuedEvent] = []
        for draft in drafts {
            let key = Int64(rows.count + added.count + 1)
            let event = Event(
                clientEventID: "\(epoch.prefix(8))-\(key)",
                position: QueuePosition(epoch: epoch, sequence: key), content: draft)
            guard let payload = try? WireCoding.encode(WireEvent(event)) else {
                throw .unencodable(detail: "event \(key)")
            }
            events.append(event)
            added.append(
                QueuedEvent(
                    key: key, clientEventID: event.clientEventID, position: event.position,
                    kind: draft.kind, payload: payload))
            oldestTimes[key] = draft.wallClock.time
        }
        rows += added
        pendingKeys += added.map(\.key)
        exits.enqueued += Int64(added.count)
        write(state)
        return events
    }

    private func write(_ state: StateUpdate) {
        for (key, value) in state.values { values[key] = value }
        if let anchor = state.clockAnchor {
            anchors.removeAll { $0.bootID == anchor.bootID }
            anchors.insert(anchor, at: 0)
        }
    }

    public func pending(_ selection: BatchSelection) throws(QueueError) -> [QueuedEvent] {
        try checkOpen()
        let pending = pendingKeys.lazy.map { self.rows[Int($0) - 1] }
        switch selection {
        case .keys(let keys):
            return pending.filter { keys.contains($0.key) }
        case .oldest(let limit, let maxBytes, let excluding):
            var bytes = 0
            var result: [QueuedEvent] = []
            for row in pending where !excluding.contains(row.key) {
                bytes += row.payload.count
                if result.count == limit || (bytes > maxBytes && !result.isEmpty) { break }
                result.append(row)
            }
            return result
        }
    }

    public func settle(
        _ settlements: [Settlement], state: StateUpdate
    ) throws(QueueError) {
        try checkOpen()
        write(state)
        for settlement in settlements {
            let index = Int(settlement.key) - 1
            guard rows.indices.contains(index), rows[index].status == .pending,
                settlement.clientEventID ?? rows[index].clientEventID
                    == rows[index].clientEventID
            else { continue }
            switch settlement.fate {
            case .acknowledged:
                rows[index].status = .acknowledged
                exits.acknowledged += 1
            case .dead(let code):
                rows[index].status = .dead(code: code)
                exits.dead += 1
            }
        }
        pendingKeys.removeAll { rows[Int($0) - 1].status != .pending }
    }

    public var counts: QueueCounts {
        var counts = exits
        counts.pending = Int64(pendingKeys.count)
        counts.oldest = pendingKeys.first.flatMap { oldestTimes[$0] }
        return counts
    }

    public func events(after key: Int64?, limit: Int) throws(QueueError) -> [QueuedEvent] {
        try checkOpen()
        let all = foreign + rows
        guard let key else { return Array(all.suffix(limit)) }
        return Array(all.filter { $0.key > key }.prefix(limit))
    }

    public func startOfNewest(_ limit: Int) throws(QueueError) -> Int64 {
        try checkOpen()
        let all = foreign + rows
        return all.count > limit ? all[all.count - limit - 1].key : .min
    }

    public func positions() throws(QueueError) -> QueuePositions {
        try checkOpen()
        var last = [epoch: Int64(rows.count)]
        if let event = foreign.last { last[event.position.epoch] = event.position.sequence }
        return QueuePositions(current: epoch, last: last)
    }

    public func deadLetters(limit: Int) throws(QueueError) -> [QueuedEvent] {
        try checkOpen()
        let dead = rows.filter { if case .dead = $0.status { true } else { false } }
        return Array(dead.reversed().prefix(limit))
    }

    public var clockAnchors: [ClockAnchor] { anchors }

    public func state(_ key: StateKey) throws(QueueError) -> [UInt8]? {
        try checkOpen()
        return values[key]
    }

    public func maintain(at now: Uptime) {}

    public func close() { isClosed = true }

    private func checkOpen() throws(QueueError) {
        if isClosed { throw .closed }
    }
}
