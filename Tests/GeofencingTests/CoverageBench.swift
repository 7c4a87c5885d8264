import Geodesy
import Geofencing
import Testing
import Timekeeping

/// A guard with a fix a second, on a line to the east.
struct CoverageBench {
    var coverage: CoverageGuard
    var seconds = 0.0
    var east = 0.0
    var speed: Double?
    var accuracy = 8.0
    let frame: LocalFrame

    init(state: CoverageState = CoverageState()) throws {
        coverage = CoverageGuard(state: state, at: Uptime(milliseconds: 0))
        frame = LocalFrame(anchor: try #require(Coordinate(latitude: 50, longitude: 8)))
    }

    var now: Uptime { Uptime(milliseconds: Int64(seconds * 1000)) }

    mutating func fix(at east: Double) throws -> CoverageStep {
        self.east = east
        seconds += 1
        let position = try #require(frame.coordinate(at: PlanePoint(east: east, north: 0)))
        return coverage.step(
            fix: CoverageFix(position: position, accuracyMeters: accuracy, speed: speed),
            at: now)
    }

    mutating func answer(
        _ radius: Double?, refresh: Double? = 1000, seconds age: Double? = nil
    ) -> [CoverageSignal] {
        coverage.syncSucceeded(
            FenceCoverage(
                syncID: "s", refreshAfterMeters: refresh, refreshAfterSeconds: age,
                coverageRadiusMeters: radius), at: now)
    }

    mutating func fail(
        _ kind: FenceFetchFailure.Kind = .local, random: Double = 0.999,
        retryAfter: Double? = nil, isUnanswered: Bool = false
    ) {
        var failure = FenceFetchFailure(kind, "no", retryAfterSeconds: retryAfter)
        failure.isUnanswered = isUnanswered
        coverage.syncFailed(failure, at: now, random: random)
    }

    /// A second without a fix.
    mutating func tick(_ seconds: Double = 1) -> CoverageStep {
        self.seconds += seconds
        return coverage.step(fix: nil, at: now)
    }

    /// Started, answered and standing at the anchor.
    static func synced(_ radius: Double?, refresh: Double? = 1000) throws -> CoverageBench {
        var bench = try CoverageBench()
        _ = try bench.fix(at: 0)
        _ = bench.answer(radius, refresh: refresh)
        return bench
    }
}
