import Delivery
import GeofenceAgent
import Geofencing
import Timekeeping
import WireFormat

/// The events of a seeded drive, each with the state that an agent commits along with it.
public struct EventLoad: Sendable {
    /// One event and the tracker state that led to it, as it is stored.
    public struct Item: Sendable {
        public var draft: EventDraft
        public var state: StateUpdate
    }

    /// In the order of the drive; empty for a drive that passes no fence.
    public let items: [Item]

    /// Throws where the tracker state cannot be written.
    public init(_ town: BenchmarkTown) throws {
        var pipeline = TrackingPipeline(bootID: Self.bootID)
        let clock = WallClockReading(time: BenchmarkTown.start, isSynchronised: true)
        _ = pipeline.replaceFences(town.fences, at: Uptime(milliseconds: 0), wallClock: clock)
        var items: [Item] = []
        for index in town.samples.indices {
            let fix = town.fix(index)
            let drafts = pipeline.ingest(
                fix, wallClock: WallClockReading(time: fix.time ?? clock.time, isSynchronised: true)
            ).drafts
            guard !drafts.isEmpty else { continue }
            let state = StateUpdate(
                values: [.pipeline: try WireCoding.encode(pipeline.persistedState)])
            items += drafts.map { Item(draft: $0, state: state) }
        }
        self.items = items
    }

    private static let bootID = BootID("0123456789abcdef0123456789abcdef")

    /// Bytes of an event as it is stored and sent, the mean of all.
    public func meanBytes() throws -> Int {
        var sum = 0
        for (index, item) in items.enumerated() {
            let event = Event(
                clientEventID: "01234567-89ab-8def-8123-456789abcdef",
                position: QueuePosition(
                    epoch: Self.bootID.text, sequence: Int64(1000 + index)),
                visitID: "01234567-89ab-8def-8123-456789abcdef", content: item.draft)
            sum += try WireCoding.encode(WireEvent(event)).count
        }
        return sum / max(1, items.count)
    }
}
