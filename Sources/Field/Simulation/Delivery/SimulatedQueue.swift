import Delivery
import Geofencing
import Timekeeping
import WireFormat

/// An `EventQueue` over a simulated disk, with the transactions, the evictions and the new epochs of
/// the real one, held to the same contract, at a thousandth of its cost.
public final class SimulatedQueue: EventQueue {
    private let disk: SimulatedDisk
    private let time: any Timekeeper
    private var isClosed = false
    public let health = StorageHealth.durable

    /// Opens what is on the disk. What a damage cost is told with the next commit.
    public init(_ disk: SimulatedDisk, time: any Timekeeper) {
        self.disk = disk
        self.time = time
    }

    // MARK: Committing

    public func commit(
        _ drafts: [EventDraft], state: StateUpdate
    ) throws(QueueError) -> [Event] {
        try checkOpen()
        var next = disk.content
        var told: [EventDraft] = []
        if !drafts.isEmpty {
            if let lost = next.untoldLoss { told.append(resetDraft(lost)) }
            next.untoldLoss = nil
            told += makeRoom(for: drafts.count + told.count, in: &next)
        }
        var events: [Event] = []
        for draft in told + drafts { events.append(try append(draft, to: &next)) }
        Self.write(state, to: &next)
        try finish(next)
        return events
    }

    private func append(
        _ draft: EventDraft, to content: inout SimulatedDisk.Content
    ) throws(QueueError) -> Event {
        content.lastSequence += 1
        let key = content.lastSequence
        let event = Event(
            clientEventID: "\(content.epoch.suffix(24))-\(key)",
            position: QueuePosition(epoch: content.epoch, sequence: key), content: draft)
        guard let payload = try? SimulatedPayload.bytes(of: event) else {
            throw .unencodable(detail: "event \(key)")
        }
        content.pending.append(
            SimulatedDisk.Row(
                event: QueuedEvent(
                    key: key, clientEventID: event.clientEventID, position: event.position,
                    kind: draft.kind, payload: payload),
                madeAt: draft.wallClock.time))
        content.counts.enqueued += 1
        content.counts.pending += 1
        return event
    }

    /// COMMIT, or what a fault makes of it.
    private func finish(_ next: SimulatedDisk.Content) throws(QueueError) {
        let fault = disk.fault
        disk.fault = nil
        if fault != .endsBeforeCommit { disk.content = next }
        guard fault == nil else {
            isClosed = true
            throw .closed
        }
    }

    private static func write(_ state: StateUpdate, to content: inout SimulatedDisk.Content) {
        for (key, value) in state.values { content.values[key] = value }
        guard let anchor = state.clockAnchor else { return }
        if let index = content.anchors.firstIndex(where: { $0.bootID == anchor.bootID }) {
            content.anchors[index] = anchor
        } else {
            content.anchors.insert(anchor, at: 0)
            if content.anchors.count > Self.anchorLimit { content.anchors.removeLast() }
        }
    }

    private static let anchorLimit = 16

    // MARK: Giving way

    private static let order: [[EventKind]] = [
        [.pass], [.enter, .exit, .dwell, .moved, .coverageLost, .coverageRestored],
        [.visitStarted, .visitEnded],
    ]
    /// Events that give way at once, so that not every event evicts one.
    private static let lot = 4

    private func makeRoom(
        for count: Int, in content: inout SimulatedDisk.Content
    ) -> [EventDraft] {
        let excess = content.pending.count + count - disk.capacity
        guard excess > 0 else { return [] }
        var left = max(excess, Self.lot)
        var ranges: [(epoch: String, range: EvictedRange)] = []
        var gone: Set<Int64> = []
        for kinds in Self.order {
            for row in content.pending where left > 0 && kinds.contains(row.event.kind) {
                gone.insert(row.event.key)
                left -= 1
                Self.add(row.event, to: &ranges)
            }
        }
        guard !gone.isEmpty else { return [] }
        content.pending.removeAll { gone.contains($0.event.key) }
        content.counts.pending -= Int64(gone.count)
        content.counts.evicted += Int64(gone.count)
        return ranges.map { epoch, range in
            var draft = deviceDraft(.queueEvicted)
            draft.reason = epoch == content.epoch ? "capacity" : "epoch \(epoch)"
            draft.evicted = range
            return draft
        }
    }

    private static func add(
        _ event: QueuedEvent, to ranges: inout [(epoch: String, range: EvictedRange)]
    ) {
        let (epoch, sequence) = (event.position.epoch, event.position.sequence)
        guard
            let index = ranges.firstIndex(where: {
                $0.epoch == epoch && $0.range.kind == event.kind
            })
        else {
            ranges.append(
                (
                    epoch,
                    EvictedRange(
                        kind: event.kind, count: 1, firstSequence: sequence,
                        lastSequence: sequence)
                ))
            return
        }
        ranges[index].range.count += 1
        ranges[index].range.lastSequence = sequence
    }

    private func resetDraft(_ lost: Int64) -> EventDraft {
        var draft = deviceDraft(.stateReset)
        draft.reason = "quarantine: simulated"
        if lost > 0 {
            draft.evicted = EvictedRange(
                kind: .stateReset, count: lost, firstSequence: 0, lastSequence: 0)
        }
        return draft
    }

    private func deviceDraft(_ kind: EventKind) -> EventDraft {
        let wall = time.wallClock
        let now = Moment(uptime: time.uptime, utc: wall.isSynchronised ? wall.time : nil)
        return EventDraft(
            kind: kind, bootID: time.bootID, occurred: now, detected: now, wallClock: wall,
            timeQuality: wall.isSynchronised ? .disciplined : .monotonicOnly)
    }

    // MARK: Sending

    public func pending(_ selection: BatchSelection) throws(QueueError) -> [QueuedEvent] {
        try checkOpen()
        switch selection {
        case .keys(let keys):
            return disk.content.pending.lazy.map(\.event).filter { keys.contains($0.key) }
        case .oldest(let limit, let maxBytes, let excluding):
            var bytes = 0
            var result: [QueuedEvent] = []
            for row in disk.content.pending where !excluding.contains(row.event.key) {
                guard result.count < limit else { break }
                bytes += row.event.payload.count
                if bytes > maxBytes, !result.isEmpty { break }
                result.append(row.event)
            }
            return result
        }
    }

    public func settle(
        _ settlements: [Settlement], state: StateUpdate
    ) throws(QueueError) {
        try checkOpen()
        var next = disk.content
        for settlement in settlements {
            guard
                let index = next.pending.firstIndex(where: { $0.event.key == settlement.key }),
                settlement.clientEventID ?? next.pending[index].event.clientEventID
                    == next.pending[index].event.clientEventID
            else { continue }
            var event = next.pending.remove(at: index).event
            next.counts.pending -= 1
            switch settlement.fate {
            case .acknowledged:
                event.status = .acknowledged
                next.counts.acknowledged += 1
            case .dead(let code):
                event.status = .dead(code: code)
                next.counts.dead += 1
            }
            next.settled.append(event)
        }
        Self.write(state, to: &next)
        try finish(next)
    }

    // MARK: Looking

    public var counts: QueueCounts {
        var counts = disk.content.counts
        counts.oldest = disk.content.pending.first?.madeAt
        return counts
    }

    public var epoch: String { disk.content.epoch }

    public var clockAnchors: [ClockAnchor] { disk.content.anchors }

    public func events(after key: Int64?, limit: Int) throws(QueueError) -> [QueuedEvent] {
        try checkOpen()
        let all = allEvents
        guard let key else { return Array(all.suffix(limit)) }
        return Array(all.filter { $0.key > key }.prefix(limit))
    }

    public func startOfNewest(_ limit: Int) throws(QueueError) -> Int64 {
        try checkOpen()
        let all = allEvents
        return all.count > limit ? all[all.count - limit - 1].key : .min
    }

    public func positions() throws(QueueError) -> QueuePositions {
        try checkOpen()
        var last: [String: Int64] = [:]
        for event in allEvents where event.position.epoch != disk.content.epoch {
            last[event.position.epoch] = max(
                last[event.position.epoch] ?? 0, event.position.sequence)
        }
        last[disk.content.epoch] = disk.content.lastSequence
        return QueuePositions(current: disk.content.epoch, last: last)
    }

    public func deadLetters(limit: Int) throws(QueueError) -> [QueuedEvent] {
        try checkOpen()
        let dead = allEvents.filter { if case .dead = $0.status { true } else { false } }
        return Array(dead.reversed().prefix(limit))
    }

    private var allEvents: [QueuedEvent] {
        (disk.content.pending.map(\.event) + disk.content.settled).sorted { $0.key < $1.key }
    }

    public func state(_ key: StateKey) throws(QueueError) -> [UInt8]? {
        try checkOpen()
        return disk.content.values[key]
    }

    public func maintain(at now: Uptime) {}

    public func close() { isClosed = true }

    private func checkOpen() throws(QueueError) {
        if isClosed { throw .closed }
    }
}
