import Delivery
import WireFormat

/// Reads stored events page by page, so that neither the control loop nor memory feels a long answer.
struct StoredEvents {
    /// Events of one look into the queue.
    static let pageLimit = 200
    private let tracking: TrackingService
    /// Only greater keys come.
    private var last: Int64 = 0
    /// Where to go on once the events of earlier epochs, whose keys are negative, are through.
    private var resume: Int64 = 0
    /// Why stored events were passed over since this was looked at last, the first `pageLimit`.
    private var unreadable: [String] = []
    /// Stored events that cannot be read and were passed over.
    private(set) var unreadableCount = 0

    init(_ tracking: TrackingService) {
        self.tracking = tracking
    }

    /// Begins after a sequence number of the current epoch.
    mutating func start(after sequence: Int64) {
        last = sequence
        resume = sequence
    }

    /// Begins with the oldest of the newest `limit` events.
    mutating func start(atNewest limit: Int) async throws(ControlRefusal) {
        do throws(QueueError) {
            last = try await tracking.startOfNewest(limit)
        } catch {
            throw ControlRefusal(.storage, "\(error)")
        }
        resume = max(0, last)
    }

    /// Begins with everything of earlier epochs, then after a sequence number of the current one.
    mutating func startWithEarlierEpochs(then sequence: Int64) {
        last = .min
        resume = sequence
    }

    /// The next events, at most `limit`; empty: there are no more now. One that cannot be read is
    /// passed over: it must not hide those after it.
    mutating func next(limit: Int) async throws(ControlRefusal) -> [WireEvent] {
        while case let page = try await nextPage(limit: limit), !page.isEmpty {
            let events = await readable(page)
            if !events.isEmpty { return events }
        }
        return []
    }

    /// What was passed over since the last call, a text for each.
    mutating func takeUnreadable() -> [String] {
        defer { unreadable = [] }
        return unreadable
    }

    private mutating func nextPage(limit: Int) async throws(ControlRefusal) -> [QueuedEvent] {
        var page = try await read(after: last, limit: min(limit, Self.pageLimit))
        // Where the earlier epochs end, those of the current one that are known are skipped.
        if last < 0, page.last?.key ?? 0 >= 0 {
            page.removeAll { $0.key >= 0 && $0.key <= resume }
            if page.isEmpty {
                last = resume
                page = try await read(after: resume, limit: min(limit, Self.pageLimit))
            }
        }
        last = page.last?.key ?? last
        return page
    }

    private mutating func readable(_ page: [QueuedEvent]) async -> [WireEvent] {
        let anchors = await tracking.clockAnchors()
        let disagreements = await tracking.disagreements()
        var events: [WireEvent] = []
        for event in page {
            do throws(WireError) {
                var wire = try WireCoding.decode(WireEvent.self, from: event.payload)
                wire.resolveTimes(with: anchors)
                wire.serverNotificationVerdict =
                    disagreements.last {
                        $0.epoch == wire.queueEpoch && $0.sequence == wire.sequence
                    }?.verdict
                events.append(wire)
            } catch {
                let text = "the stored event \(event.key) cannot be read: \(error)"
                unreadableCount += 1
                if unreadable.count < Self.pageLimit { unreadable.append(text) }
                await tracking.tellUnreadable(event.key, text)
            }
        }
        return events
    }

    private func read(
        after key: Int64?, limit: Int
    ) async throws(ControlRefusal) -> [QueuedEvent] {
        do throws(QueueError) {
            return try await tracking.events(after: key, limit: limit)
        } catch {
            throw ControlRefusal(.storage, "\(error)")
        }
    }
}
