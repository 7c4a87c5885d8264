import Geodesy
import Geofencing
import Simulation
import Timekeeping

/// A world of fences, a server that knows them all, and a device on a random drive that knows only
/// what it was told.
struct CoverageWorld {
    struct Result {
        var fixes = 0
        var kilometers = 0.0
        var syncs = 0
        var lostFixes = 0
        /// Fences that truly held the device, outside coverage_lost ... restored.
        var held = 0
        /// Of those, the ones that the device did not know.
        var unknown: [String] = []
        /// Those that held it by more than the fix was off, and were neither monitored nor said to
        /// be too many.
        var missed: [String] = []
        var signals: [CoverageSignal] = []
    }

    private let frame: LocalFrame
    private let fences: [PreparedFence]
    private let boxes: [BoundingBox]
    private let halfWidth: Double
    private let periodSeconds: Double
    private let lossShare: Double
    /// What the server's configuration wishes, metres.
    private let refreshMeters: Double
    private var generator: SeededGenerator

    /// Adds some large fences to the world's, which rank by their edge and not by their middle.
    init(
        _ world: World, periodSeconds: Double, lossShare: Double, refreshMeters: Double = 1000
    ) throws {
        var generator = SeededGenerator(seed: world.seed, stream: 77)
        let frame = LocalFrame(anchor: world.center)
        let large = (0..<25).map { index in
            let half = world.halfWidthMeters
            let center = frame.coordinate(
                at: PlanePoint(
                    east: generator.uniform(in: -half..<half),
                    north: generator.uniform(in: -half..<half)))
            return Fence(
                id: "large-\(index)", name: "large",
                shape: .circle(
                    center: center ?? world.center,
                    radiusMeters: generator.uniform(in: 500..<4000)))
        }
        fences = try (world.fences + large).map { try PreparedFence($0) }
        self.generator = generator
        self.frame = frame
        self.refreshMeters = refreshMeters
        boxes = fences.map(\.shape.boundingBox)
        halfWidth = world.halfWidthMeters
        self.periodSeconds = periodSeconds
        self.lossShare = lossShare
    }

    private func place(_ point: PlanePoint) throws -> Coordinate {
        guard let coordinate = frame.coordinate(at: point) else { throw NotOnEarth() }
        return coordinate
    }

    private struct NotOnEarth: Error {}

    /// Mostly a place within 100 m of a fence's middle, sometimes anywhere.
    private mutating func destination() -> PlanePoint {
        guard generator.uniform() < 0.8, let fence = fences.randomElement(using: &generator) else {
            return PlanePoint(
                east: generator.uniform(in: -halfWidth..<halfWidth),
                north: generator.uniform(in: -halfWidth..<halfWidth))
        }
        var result = frame.project(fence.shape.enclosingCircle.center)
        result.east += generator.uniform(in: -100..<100)
        result.north += generator.uniform(in: -100..<100)
        return result
    }

    // MARK: - The drive

    /// A device, what it was told and what is under way.
    private struct Device {
        var coverage: CoverageGuard
        var budget = RegionBudget()
        var isTold = false
        var inside: Set<String> = []
        var last: Coordinate?
        var answer: (request: SyncRequest, at: Double, isLost: Bool)?
    }

    private struct Drive {
        var position: PlanePoint
        var target: PlanePoint
        var speed = 0.0
        var restSeconds = 0.0
    }

    mutating func run(seconds: Double) throws -> Result {
        var result = Result()
        var device = Device(coverage: CoverageGuard(at: Uptime(milliseconds: 0)))
        var drive = Drive(position: destination(), target: destination())
        var drift = PlanePoint(east: 0, north: 0)
        var time = 0.0
        while time < seconds {
            let from = drive.position
            move(&drive, for: periodSeconds)
            time += periodSeconds
            result.kilometers += from.distance(to: drive.position) / 1000
            drift.east = clamp(0.95 * drift.east + 2 * generator.normal())
            drift.north = clamp(0.95 * drift.north + 2 * generator.normal())
            let truth = SurfacePoint(try place(drive.position))
            let measured = try place(
                PlanePoint(
                    east: drive.position.east + drift.east,
                    north: drive.position.north + drift.north))
            let selection = step(
                &device, measured, speed: drive.speed, at: time, into: &result)
            check(device, selection, truth, into: &result)
        }
        return result
    }

    /// Keeps the error of a position below the 25 m that the guarantee allows.
    private func clamp(_ error: Double) -> Double { max(-17, min(17, error)) }

    private mutating func move(_ drive: inout Drive, for seconds: Double) {
        if drive.restSeconds > 0 {
            drive.restSeconds -= seconds
            return
        }
        let wanted = 3 + 30 * generator.uniform()
        drive.speed += max(-3 * seconds, min(3 * seconds, wanted - drive.speed))
        let way = drive.speed * seconds
        let distance = drive.position.distance(to: drive.target)
        if distance <= way {
            drive.position = drive.target
            drive.target = destination()
            drive.speed = 0
            drive.restSeconds = generator.uniform(in: 0..<300)
            return
        }
        drive.position.east += (drive.target.east - drive.position.east) * way / distance
        drive.position.north += (drive.target.north - drive.position.north) * way / distance
    }

    private mutating func step(
        _ device: inout Device, _ measured: Coordinate, speed: Double, at time: Double,
        into result: inout Result
    ) -> RegionSelection {
        let now = Uptime(milliseconds: Int64(time * 1000))
        if let answer = device.answer, answer.at <= time {
            device.answer = nil
            if answer.isLost {
                device.coverage.syncFailed(
                    FenceFetchFailure(.local, "lost"), at: now, random: generator.uniform())
            } else {
                let (coverage, pool) = ask(answer.request)
                device.budget.setPool(pool)
                device.isTold = true
                result.signals += device.coverage.syncSucceeded(coverage, at: now)
            }
        }
        let step = device.coverage.step(
            fix: CoverageFix(position: measured, accuracyMeters: 8, speed: speed), at: now)
        result.signals += step.signals
        if let request = step.request {
            result.syncs += 1
            device.answer = (
                request, time + generator.uniform(in: 0.2..<10), generator.uniform() < lossShare
            )
        }
        let selection = device.budget.update(
            RegionSituation(
                from: device.last, to: measured, accuracyMeters: 8, speed: speed,
                inside: device.inside))
        device.last = measured
        let point = SurfacePoint(measured)
        let evaluated = Set(selection.evaluated)
        for fence in device.budget.pool where evaluated.contains(fence.id) {
            let distance = fence.shape.signedDistance(to: point)
            if distance >= 8 { device.inside.insert(fence.id) }
            if distance < -20 { device.inside.remove(fence.id) }
        }
        return selection
    }

    /// The server's answer: the nearest by edge distance, and how far the next one is.
    private func ask(_ request: SyncRequest) -> (FenceCoverage, [PreparedFence]) {
        let point = SurfacePoint(request.position)
        let ranked = fences.map {
            (distance: max(0, -$0.shape.signedDistance(to: point)), fence: $0)
        }.sorted {
            ($0.distance, $0.fence.id) < ($1.distance, $1.fence.id)
        }
        let radius = ranked.count > request.pool ? ranked[request.pool].distance : nil
        let coverage = FenceCoverage(
            syncID: "s", refreshAfterMeters: max(50, min(refreshMeters, (radius ?? 1e9) - 120)),
            refreshAfterSeconds: 21_600, coverageRadiusMeters: radius)
        return (coverage, ranked.prefix(request.pool).map(\.fence))
    }

    private func check(
        _ device: Device, _ selection: RegionSelection, _ truth: SurfacePoint,
        into result: inout Result
    ) {
        result.fixes += 1
        if !device.isTold || device.coverage.status == .lost {
            result.lostFixes += 1
            return
        }
        let watched = Set(selection.evaluated + selection.overflow)
        let known = Set(device.budget.pool.map(\.id))
        let error = device.last.map { SurfacePoint($0).distance(to: truth) } ?? 0
        for (fence, box) in zip(fences, boxes) where box.contains(truth.coordinate) {
            let distance = fence.shape.signedDistance(to: truth)
            guard distance > 0 else { continue }
            result.held += 1
            if !known.contains(fence.id) { result.unknown.append(fence.id) }
            if distance > error, !watched.contains(fence.id) { result.missed.append(fence.id) }
        }
    }
}
