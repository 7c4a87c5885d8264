import Geodesy
import Timekeeping

/// What a restart must not forget about one fence.
struct FenceRecord: Hashable, Sendable, Codable {
    var id: String
    var version: Int
    /// Tells whether the geometry is still the one that the state belongs to.
    var geometry: UInt64
    var presence: Presence
    var awaitsJudgement: Bool
    var isOnInside: Bool?
    var visit: Visit?
    var lastBoundary: Moment?
    var since: Moment?
    /// A departure that was not confirmed yet still has its moment after the restart; nil in the
    /// state of an earlier version.
    var crossings: CrossingMemory?

    enum CodingKeys: String, CodingKey {
        case id, version, geometry, presence, visit, since, crossings
        case awaitsJudgement = "changed"
        case isOnInside = "side"
        case lastBoundary = "last_boundary"
    }

    init(_ tracked: TrackedFence, motions: Int, breaks: Int) {
        var tracked = tracked
        tracked.state.catchUp(motions: motions, breaks: breaks)
        id = tracked.fence.id
        version = tracked.fence.version
        geometry = tracked.prepared.fingerprint
        presence = tracked.state.presence
        awaitsJudgement = tracked.state.awaitsJudgement
        isOnInside = tracked.state.isOnInside
        visit = tracked.state.visit
        lastBoundary = tracked.state.lastBoundary
        since = tracked.state.since
        crossings = tracked.state.crossings
    }

    /// The state that the fence goes on with.
    func state(of prepared: PreparedFence) -> FenceState {
        var state = FenceState()
        state.presence = presence == .inside && visit == nil ? .unknown : presence
        state.awaitsJudgement = awaitsJudgement
        state.isOnInside = isOnInside
        state.visit = presence == .inside ? visit : nil
        state.lastBoundary = lastBoundary
        state.since = since
        state.crossings = crossings ?? CrossingMemory()
        if geometry != prepared.fingerprint { state.geometryChanged() }
        return state
    }

    /// The same on another uptime scale; nil: none is known, and durations end here.
    mutating func rebase(shiftMilliseconds shift: Int64?) {
        lastBoundary = lastBoundary?.rebased(shift)
        since = since?.rebased(shift)
        crossings?.rebase(shiftMilliseconds: shift)
        guard var kept = visit else { return }
        kept.entered = kept.entered.rebased(shift)
        kept.clockStart = kept.clockStart.rebased(shift)
        kept.lastEvidence = kept.lastEvidence.rebased(shift)
        if shift == nil {
            kept.isSuspect = true
            kept.isClockStopped = true
        }
        visit = kept
    }
}

extension Moment {
    /// This moment on an uptime scale that is `shift` ahead; nil: the scale is not known.
    func rebased(_ shift: Int64?) -> Moment {
        Moment(
            uptime: shift.flatMap { uptime?.advanced(byMilliseconds: $0) }, utc: utc)
    }
}

extension Shape {
    /// FNV-1a over every coordinate: the same on every run and machine.
    var fingerprint: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ value: UInt64) {
            hash = (hash ^ value) &* 0x100_0000_01b3
        }
        func add(_ coordinate: Coordinate) {
            add(coordinate.latitude.bitPattern)
            add(coordinate.longitude.bitPattern)
        }
        func add(_ polygon: Polygon) {
            for ring in polygon.rings {
                add(UInt64(ring.count))
                for position in ring { add(position) }
            }
        }
        switch self {
        case .circle(let center, let radius):
            add(center)
            add(radius.bitPattern)
        case .polygon(let polygon): add(polygon)
        case .multiPolygon(let polygons):
            for polygon in polygons { add(polygon) }
        }
        return hash
    }
}
