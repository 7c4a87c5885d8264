import Geodesy
import Geofencing
import NMEA
import Positioning
import Simulation
import Synchronization
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import GeofenceAgent

/// Keeps the parts of recordings in memory; takes nothing while it is full.
final class MemoryRecording: RecordingSink {
    private struct Kept {
        var parts: [[UInt8]] = []
        var isFull = false
        var stopReason: String?
    }

    private let kept = Mutex(Kept())

    func append(_ lines: [UInt8], startsPart: Bool) -> Bool {
        kept.withLock { kept in
            if kept.isFull { return false }
            if startsPart { kept.parts.append([]) }
            kept.parts[kept.parts.count - 1] += lines
            return true
        }
    }

    var state: RecordingState {
        kept.withLock { $0.stopReason.map { .stopped(reason: $0) } ?? .recording }
    }

    func close() {}

    /// One for each file.
    var parts: [[UInt8]] { kept.withLock { $0.parts } }

    func setFull(_ isFull: Bool) { kept.withLock { $0.isFull = isFull } }

    func stop(_ reason: String) { kept.withLock { $0.stopReason = reason } }
}

/// An agent on a drive past fences that come, change and go, with pauses, restarts and reboots: all
/// seeded, and recorded.
struct RecordedRun {
    let sink = MemoryRecording()
    let handle = QueueHandle()
    /// What a process leaves to the next; nil: only what is in the queue.
    let snapshots: MemorySnapshots?
    private let time = ManualTimekeeper(wallClock: RecordedRun.start)
    private let epochs: [ReceiverModel.Epoch]
    private let partBytes: Int
    private let profile: String
    private var random: TestSupport.SeededGenerator
    private var fences: [Fence] = []
    private var tracking: TrackingService
    private var decoder: NMEADecoder

    private static let start = UTCTime(millisecondsSince1970: 1_800_000_000_000)

    init(
        seed: UInt64, partBytes: Int = 1 << 30, profile: String = "vehicle",
        leavesSnapshots: Bool = false
    ) async throws {
        random = TestSupport.SeededGenerator(seed: seed)
        self.partBytes = partBytes
        self.profile = profile
        snapshots = leavesSnapshots ? MemorySnapshots() : nil
        var settings = ReceiverModel.Settings(
            start: Self.start, noise: try #require(ReceiverNoise(name: "suburb")))
        settings.outages = [100...140]
        var model = ReceiverModel(try Self.route(), settings: settings, seed: seed)
        var epochs: [ReceiverModel.Epoch] = []
        while let epoch = model.next(), epochs.count < 600 { epochs.append(epoch) }
        self.epochs = epochs
        (tracking, decoder) = await Self.start(time, handle, sink, partBytes, profile, snapshots)
    }

    /// To and fro past the fences, with stops in the middle of them.
    private static func route() throws -> Route {
        try Route(
            geoJSON: Array(
                """
                {"type":"Feature","properties":{"speed_mps":14,"stops":[[1,60],[3,50]]},
                "geometry":{"type":"LineString","coordinates":[[20,10],[20.004,10],[20.008,10],
                [20.004,10.0002],[20,10],[20.006,10]]}}
                """.utf8))
    }

    private static func start(
        _ time: ManualTimekeeper, _ handle: QueueHandle, _ sink: MemoryRecording, _ partBytes: Int,
        _ profile: String, _ snapshots: MemorySnapshots?
    ) async -> (TrackingService, NMEADecoder) {
        let kind = DeviceSettings.Profile(rawValue: profile) ?? .vehicle
        var settings = TrackingSettings(
            rules: PipelineRules(WireRules(), profile: kind), uploadMaxBatch: 200,
            uploadIntervalSeconds: 0, dateFloor: ProjectVersion.dateFloor, fixedFences: nil,
            serverURL: "http://127.0.0.1", deviceID: "test")
        settings.recording = RecordingPlan(
            sink: sink, partBytes: partBytes, partSeconds: 86_400, rules: WireRules(),
            profile: profile,
            configuration: nil, receiver: "simulated")
        settings.snapshots = snapshots
        let tracking = TrackingService(
            queue: SharedQueue(handle), settings: settings, hub: EventHub(), time: time,
            log: LogCollector(), executor: InlineExecutor())
        await tracking.restore()
        let decoder = NMEADecoder(
            configuration: NMEADecoder.Configuration(
                dateFloor: await tracking.dateFloor(), lastTrusted: await tracking.lastTrusted()))
        await tracking.take(.opened)
        return (tracking, decoder)
    }

    /// Drives all of it. `each` may disturb before an epoch.
    mutating func drive(each: (Int, RecordedRun) -> Void = { _, _ in }) async {
        await changeFences()
        for (index, epoch) in epochs.enumerated() {
            each(index, self)
            await receive(epoch.bytes)
            if random.unit() < 0.02 { await changeFences() }
            if random.unit() < 0.2 { await tracking.tick() }
            if random.unit() < 0.01 {
                _ = try? await tracking.mark(label: "here", fence: nil, kind: nil)
            }
            if random.unit() < 0.01 { await restart() }
        }
        await tracking.close()
    }

    /// One second: the bytes come in pieces, some of them late in the control loop.
    private mutating func receive(_ bytes: [UInt8]) async {
        var left: Int64 = 1000
        var rest = bytes[...]
        var waiting: [SourceEvent] = []
        while !rest.isEmpty {
            let count = min(rest.count, 1 + Int(random.next() % 400))
            let uptime = time.uptime
            var fixes: [Fix] = []
            decoder.consume(rest.prefix(count), at: uptime) { fixes.append($0) }
            waiting.append(
                .received(Reception(.bytes(Array(rest.prefix(count))), at: uptime, fixes: fixes)))
            rest = rest.dropFirst(count)
            advance(20, &left)
            if random.unit() < 0.7 { await hand(over: &waiting) }
            if random.unit() < 0.02 { await changeFences() }
        }
        if random.unit() < 0.9 {
            advance(300, &left)
            if let deadline = decoder.idleDeadline, deadline <= time.uptime {
                var fixes: [Fix] = []
                decoder.idle(at: time.uptime) { fixes.append($0) }
                waiting.append(.received(Reception(.pause, at: time.uptime, fixes: fixes)))
            }
        }
        await hand(over: &waiting)
        advance(left, &left)
    }

    private func advance(_ milliseconds: Int64, _ left: inout Int64) {
        let step = min(milliseconds, max(0, left))
        left -= step
        time.advance(milliseconds: step)
    }

    private func hand(over waiting: inout [SourceEvent]) async {
        for event in waiting { await tracking.take(event) }
        waiting.removeAll()
    }

    /// The same machine after a moment, or another boot some minutes later.
    private mutating func restart() async {
        if random.unit() < 0.5 { await tracking.close() }
        if random.unit() < 0.5 {
            time.reboot(afterMilliseconds: Int64(random.within(20_000..<300_000)))
        } else {
            time.advance(milliseconds: Int64(random.within(500..<4000)))
        }
        (tracking, decoder) = await Self.start(time, handle, sink, partBytes, profile, snapshots)
    }

    /// An answer of the server: fences added, moved or gone, beyond what it covers or not, and now
    /// and then another configuration.
    private mutating func changeFences() async {
        var next = fences.filter { _ in random.unit() < 0.8 }
        while next.count < 5 { next.append(fence()) }
        if random.unit() < 0.5, let first = next.indices.first { next[first].shape = fence().shape }
        fences = next
        var remote = RemoteConfiguration()
        if random.unit() < 0.1 { remote.fenceLimit = 0 }
        if random.unit() < 0.3 { remote.arriveMaxMeters = 60 }
        if random.unit() < 0.3 { remote.dwellGapMaxSeconds = 120 }
        let answer = FenceAnswer(
            coverage: FenceCoverage(
                syncID: "s", refreshAfterMeters: 1000, refreshAfterSeconds: 3600,
                coverageRadiusMeters: random.unit() < 0.5 ? 50 : nil),
            fences: fences, configuration: remote, entityTag: nil, document: Array("{}".utf8))
        await tracking.take(
            .fresh(answer),
            for: FenceQuery(
                position: place(10, 20), accuracyMeters: nil, limit: 18, pool: 100, entityTag: nil))
    }

    private mutating func fence() -> Fence {
        let id = "f\(random.next() % 1000)"
        return Fence(
            id: id, name: id,
            shape: .circle(
                center: place(10 + random.within(-0.0005..<0.0005), 20 + random.within(0..<0.008)),
                radiusMeters: random.within(20..<150)),
            dwellSeconds: random.unit() < 0.7 ? random.within(10..<50).rounded() : nil)
    }
}
