import Delivery
import Timekeeping
import WireFormat

/// The queue of a simulated agent: in memory, since thousands share one disk here, and bounded.
struct LoadQueue: Sendable {
    /// Events that wait at most; a device that has so many makes no more.
    static let capacity = 1_000

    private let deviceID: String
    private let epoch = LoadQueue.randomHexadecimal()
    private var rows: [QueuedEvent] = []
    private var times: [Int64: UTCTime] = [:]
    private(set) var counts = QueueCounts()
    private(set) var visitID: String?

    init(deviceID: String) {
        self.deviceID = deviceID
    }

    var isFull: Bool { rows.count >= Self.capacity }

    /// Names the events and writes their payload, as the agent does at its commit.
    mutating func commit(_ drafts: [EventDraft]) throws {
        for draft in drafts {
            let sequence = counts.enqueued + 1
            if draft.kind == .enter { visitID = Self.uuid() }
            let event = Event(
                clientEventID: Self.uuid(),
                position: QueuePosition(epoch: epoch, sequence: sequence), visitID: visitID,
                content: draft)
            rows.append(
                QueuedEvent(
                    key: sequence, clientEventID: event.clientEventID, position: event.position,
                    kind: draft.kind, payload: try WireCoding.encode(WireEvent(event))))
            times[sequence] = draft.wallClock.time
            counts.enqueued += 1
        }
        recount()
    }

    func pending(_ selection: BatchSelection) -> [QueuedEvent] {
        switch selection {
        case .keys(let keys): return rows.filter { keys.contains($0.key) }
        case .oldest(let limit, let maxBytes, let excluding):
            var bytes = 0
            var result: [QueuedEvent] = []
            for row in rows where !excluding.contains(row.key) {
                bytes += row.payload.count
                guard result.count < limit, result.isEmpty || bytes <= maxBytes else { break }
                result.append(row)
            }
            return result
        }
    }

    mutating func settle(_ settlements: [Settlement]) {
        let gone = Set(settlements.map(\.key))
        for settlement in settlements {
            if settlement.fate == .acknowledged {
                counts.acknowledged += 1
            } else {
                counts.dead += 1
            }
            times[settlement.key] = nil
        }
        rows.removeAll { gone.contains($0.key) }
        recount()
    }

    private mutating func recount() {
        counts.pending = Int64(rows.count)
        counts.oldest = rows.first.flatMap { times[$0.key] }
    }

    /// 32 hex digits of this run: a second run against the same server must not be the first again.
    static func randomHexadecimal() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// A UUID of version 8, whose bits are free (RFC 9562 section 5.8).
    private static func uuid() -> String {
        let digits = Array(randomHexadecimal())
        func part(_ range: Range<Int>) -> String { String(digits[range]) }
        return part(0..<8) + "-" + part(8..<12) + "-8" + part(13..<16) + "-a" + part(17..<20) + "-"
            + part(20..<32)
    }
}
