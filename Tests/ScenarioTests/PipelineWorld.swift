import Geodesy
import GeofenceAgent
import Geofencing
import Positioning
import Simulation
import Snapshots
import TestSupport
import Timekeeping

/// A world full of fences, a drive through it as a receiver sees it, and the agent's pipeline that
/// learns of the fences from a server over a network that loses answers; beside it an oracle that
/// looks at every fence there is.
struct PipelineWorld {
    struct Setting: Sendable {
        var density: World.Density
        var count: Int
        var seed: UInt64
        var hours = 1.0
        var lossShare = 1 / 3.0
        /// Repeats epochs and sends old ones again.
        var isDirty = false
        var latitude = 48.1
        var longitude = 11.5
        /// Of the fixes, those before which the process is killed and the next one goes on.
        var killShare = 0.0
        /// Turns north and south around; the world lies at the equator's other side.
        var isMirrored = false
    }

    struct Outcome {
        var transitions: [Transition] = []
        /// What the oracle or the pipeline alone told of, outside of lost coverage.
        var differences: [String] = []
        var kilometers = 0.0
        var kills = 0
        var syncs = 0
        var fixes = 0
        var lostFixes = 0
        var compared = 0
        var signals: [CoverageSignal] = []
    }

    private let setting: Setting
    private let fences: [Fence]
    private let prepared: [PreparedFence]
    private let boxes: [(id: String, box: BoundingBox)]
    private let fixes: [Fix]
    private var network: Simulation.SeededGenerator
    private var killer: Simulation.SeededGenerator
    /// The last answer, which the agent has on disk.
    private var cached: FenceAnswer?
    private var outcome = Outcome()
    private static let start = UTCTime(millisecondsSince1970: 1_767_225_600_000)
    private static let clock = WallClockReading(time: start, isSynchronised: true)

    init(_ setting: Setting) throws {
        guard
            let center = Coordinate(latitude: setting.latitude, longitude: setting.longitude)
        else { throw NotOnEarth() }
        let world = World(
            setting.density, center: center, count: setting.count, seed: setting.seed)
        let frame = LocalFrame(anchor: center)
        var drive = WorldDrive(
            seed: setting.seed, halfWidth: world.halfWidthMeters,
            places: try world.fences.map {
                frame.project(try PreparedFence($0).shape.enclosingCircle.center)
            })
        self.setting = setting
        fences = (world.fences + Self.large(around: frame, world)).map { fence in
            var copy = setting.isMirrored ? fence.mirrored : fence
            copy.createdAt = UTCTime(millisecondsSince1970: 0)
            return copy
        }
        prepared = try fences.map { try PreparedFence($0) }
        boxes = prepared.map {
            let circle = $0.shape.enclosingCircle
            return (
                $0.id,
                BoundingBox(center: circle.center, radiusMeters: circle.radiusMeters + 100)
            )
        }
        var clean: [Fix] = []
        for second in 0..<Int(setting.hours * 3600) {
            let sample = drive.next()
            outcome.kilometers += sample.meters / 1000
            guard let place = frame.coordinate(at: sample.seen) else { throw NotOnEarth() }
            clean.append(
                Self.fix(at: second, setting.isMirrored ? place.mirrored : place, sample.speed))
        }
        fixes = setting.isDirty ? Self.dirty(clean, seed: setting.seed) : clean
        network = Simulation.SeededGenerator(seed: setting.seed, stream: 91)
        killer = Simulation.SeededGenerator(seed: setting.seed, stream: 93)
    }

    /// Fences of up to 4 km, in sparse worlds 8 km: they rank by their edge and not by their middle,
    /// which is farther away than those of a hundred small ones.
    private static func large(around frame: LocalFrame, _ world: World) -> [Fence] {
        var random = Simulation.SeededGenerator(seed: world.seed, stream: 93)
        let half = world.halfWidthMeters
        return (0..<25).map { index in
            let center = frame.coordinate(
                at: PlanePoint(
                    east: random.uniform(in: -half..<half),
                    north: random.uniform(in: -half..<half)))
            return Fence(
                id: "large-\(index)", name: "large",
                shape: .circle(
                    center: center ?? world.center,
                    radiusMeters: half * random.uniform(in: 0.05..<0.4)),
                dwellSeconds: index % 2 == 0 ? 120 : nil)
        }
    }

    private struct NotOnEarth: Error {}

    private static func fix(at second: Int, _ place: Coordinate, _ speed: Double) -> Fix {
        let milliseconds = Int64(second) * 1000
        return Fix(
            coordinate: place, time: start.advanced(byMilliseconds: milliseconds),
            isTimeTrusted: true, uptime: Uptime(milliseconds: milliseconds),
            horizontalAccuracy: HorizontalAccuracy(meters: 8, provenance: .receiver),
            speed: speed, dimension: .threeDimensional, quality: .autonomous, source: .recording)
    }

    /// The same epoch again, or one of the last ten, some milliseconds later.
    private static func dirty(_ fixes: [Fix], seed: UInt64) -> [Fix] {
        var random = Simulation.SeededGenerator(seed: seed, stream: 92)
        var result: [Fix] = []
        for (index, fix) in fixes.enumerated() {
            result.append(fix)
            guard random.uniform() < 0.2 else { continue }
            var repeated = fixes[max(0, index - Int(random.uniform(in: 0..<10)))]
            repeated.uptime = fix.uptime.advanced(byMilliseconds: 20)
            result.append(repeated)
        }
        return result
    }

    // MARK: - Both sides

    private struct Answer {
        var request: SyncRequest
        var at: Int64
        var isLost: Bool
    }

    mutating func run() throws -> Outcome {
        var pipeline = TrackingPipeline(
            bootID: BootID("world"), syncingFrom: Uptime(milliseconds: 0))
        var filter = FixFilter()
        var oracle = FenceTracker()
        _ = oracle.setFences(prepared, at: Moment(uptime: Uptime(milliseconds: 0), utc: nil))
        oracle.setMonitored(Array(prepared.indices), at: Uptime(milliseconds: 0))
        var excuses = Excuses()
        var pending: Answer?
        var isTold = false
        for fix in fixes {
            var told: [Transition] = []
            if setting.killShare > 0, killer.uniform() < setting.killShare {
                pending = nil
                told += try followKilled(&pipeline, at: fix.uptime)
            }
            if let answer = pending, answer.at <= fix.uptime.milliseconds {
                pending = nil
                told += deliver(answer, to: &pipeline, &isTold)
            }
            let output = pipeline.ingest(fix, wallClock: Self.clock)
            told += output.transitions
            note(output)
            if let request = output.sync {
                outcome.syncs += 1
                pending = Answer(
                    request: request,
                    at: fix.uptime.milliseconds + Int64(network.uniform(in: 200..<10_000)),
                    isLost: network.uniform() < setting.lossShare)
            }
            let judged = filter.ingest(fix)
            let expected = (judged.released + [judged.latest]).flatMap { oracle.ingest($0) }
            let isLost = !isTold || pipeline.status(at: fix.uptime).coverage == .lost
            outcome.fixes += 1
            if isLost {
                outcome.lostFixes += 1
                excuseNeighbours(of: fix, in: &excuses)
            }
            excuses.take(told, expected, isLost: isLost, at: fix.uptime)
            compare(told, expected, excuses, at: fix.uptime)
            outcome.transitions += told
        }
        return outcome
    }

    /// The next process, with the snapshot and the fences that the killed one left.
    private mutating func followKilled(
        _ pipeline: inout TrackingPipeline, at now: Uptime
    ) throws -> [Transition] {
        guard let snapshot = pipeline.snapshot else { throw NothingLeft() }
        outcome.kills += 1
        var writer = SnapshotWriter()
        writer.write(snapshot)
        let kept = pipeline.keptFences
        var state = pipeline.persistedState
        state.snapshot = SnapshotBytes(writer.bytes)
        // One that cannot be read is an outage to the pipeline, and hardly ever seen in its events.
        _ = try state.snapshot?.read()
        pipeline = TrackingPipeline(
            bootID: BootID("world"), restoring: state, syncingFrom: now)
        guard let cached else { return [] }
        let output = pipeline.restoreFences(
            cached.fences, keeping: kept, configuration: cached.configuration, at: now,
            wallClock: Self.clock)
        note(output)
        return output.transitions
    }

    private struct NothingLeft: Error {}

    private mutating func note(_ output: PipelineOutput) {
        for draft in output.drafts {
            if draft.kind == .coverageLost { outcome.signals.append(.lost) }
            if draft.kind == .coverageRestored { outcome.signals.append(.restored) }
        }
    }

    private mutating func deliver(
        _ answer: Answer, to pipeline: inout TrackingPipeline, _ isTold: inout Bool
    ) -> [Transition] {
        let now = Uptime(milliseconds: answer.at)
        guard !answer.isLost else {
            pipeline.syncFailed(
                FenceFetchFailure(.local, "lost"), at: now, random: network.uniform())
            return []
        }
        isTold = true
        let point = SurfacePoint(answer.request.position)
        let ranked = prepared.indices.map {
            (distance: max(0, -prepared[$0].shape.signedDistance(to: point)), index: $0)
        }.sorted { ($0.distance, $0.index) < ($1.distance, $1.index) }
        let pool = answer.request.pool
        let radius = ranked.count > pool ? ranked[pool].distance : nil
        let coverage = FenceCoverage(
            syncID: "s", refreshAfterMeters: 1000, refreshAfterSeconds: 21_600,
            coverageRadiusMeters: radius)
        let fresh = FenceAnswer(
            coverage: coverage, fences: ranked.prefix(pool).map { fences[$0.index] },
            configuration: RemoteConfiguration(), entityTag: nil, document: [])
        cached = fresh
        let output = pipeline.syncSucceeded(
            coverage, answer: fresh, at: now, wallClock: Self.clock)
        note(output)
        return output.transitions
    }

    private func excuseNeighbours(of fix: Fix, in excuses: inout Excuses) {
        guard let place = fix.coordinate else { return }
        for (id, box) in boxes where box.contains(place) { excuses.add(id, at: fix.uptime) }
    }

    private mutating func compare(
        _ told: [Transition], _ expected: [Transition], _ excuses: Excuses, at now: Uptime
    ) {
        let got = told.filter { !excuses.hold($0.fenceID) }.map(Self.words)
        let wanted = expected.filter { !excuses.hold($0.fenceID) }.map(Self.words)
        outcome.compared += wanted.count
        guard got != wanted else { return }
        outcome.differences.append("at \(now.milliseconds / 1000) s \(got), all fences: \(wanted)")
    }

    static func words(_ transition: Transition) -> String {
        let moments = [transition.occurred, transition.detected].map {
            String($0.uptime?.milliseconds ?? -1)
        }
        return "\(transition.kind.rawValue) \(transition.fenceID) \(moments.joined(separator: " "))"
            + (transition.isInitial ? " initial" : "")
    }
}

/// Fences about which pipeline and oracle may differ: something happened to them while the coverage
/// was lost, and they have not both been left for a while since.
struct Excuses {
    private var until: [String: Uptime] = [:]
    private var insideHere: Set<String> = []
    private var insideThere: Set<String> = []
    private static let milliseconds: Int64 = 180_000

    func hold(_ id: String) -> Bool { until[id] != nil }

    mutating func add(_ id: String, at now: Uptime) {
        until[id] = now.advanced(byMilliseconds: Self.milliseconds)
    }

    /// Takes in what both told of one fix.
    mutating func take(
        _ told: [Transition], _ expected: [Transition], isLost: Bool, at now: Uptime
    ) {
        for transition in told {
            Self.follow(transition, &insideHere)
            if isLost || hold(transition.fenceID) { add(transition.fenceID, at: now) }
        }
        for transition in expected {
            Self.follow(transition, &insideThere)
            if isLost || hold(transition.fenceID) { add(transition.fenceID, at: now) }
        }
        for (id, end) in until where end < now {
            if insideHere.contains(id) || insideThere.contains(id) { continue }
            until[id] = nil
        }
    }

    private static func follow(_ transition: Transition, _ inside: inout Set<String>) {
        if transition.kind == .enter { inside.insert(transition.fenceID) }
        if transition.kind == .exit { inside.remove(transition.fenceID) }
    }
}

extension Coordinate {
    var mirrored: Coordinate { Coordinate(latitude: -latitude, longitude: longitude) ?? self }
}

extension Fence {
    var mirrored: Fence {
        func turned(_ polygon: Polygon) -> Polygon {
            Polygon(rings: polygon.rings.map { $0.map(\.mirrored) })
        }
        var copy = self
        switch shape {
        case .circle(let center, let radius):
            copy.shape = .circle(center: center.mirrored, radiusMeters: radius)
        case .polygon(let polygon): copy.shape = .polygon(turned(polygon))
        case .multiPolygon(let polygons): copy.shape = .multiPolygon(polygons.map(turned))
        }
        return copy
    }
}
