import Delivery
import Geofencing

/// What the requests of a fleet came to; each connection counts for itself, then all are added up.
public struct LoadTally: Hashable, Sendable {
    /// Kinds of errors that are told apart; the rest counts as "other".
    private static let errorKinds = 50

    public enum Request: String, Hashable, Sendable, CaseIterable {
        case batch, fences, heartbeat
    }

    public private(set) var latencies: [Request: LatencyHistogram] = [:]
    /// From the moment at which a device wanted to send to the one at which it had a connection.
    public var waits = LatencyHistogram()
    public private(set) var accepted = 0
    public private(set) var duplicates = 0
    public private(set) var rejected = 0
    public private(set) var deferred = 0
    public private(set) var notModified = 0
    public private(set) var errors: [String: Int] = [:]

    public init() {}

    public var requests: Int { latencies.values.reduce(0) { $0 + $1.count } }

    public mutating func add(_ outcome: SendOutcome, seconds: Double) {
        latencies[.batch, default: LatencyHistogram()].add(seconds)
        switch outcome {
        case .receipt(let receipt):
            for result in receipt.results.values {
                switch result.status {
                case .accepted: accepted += 1
                case .duplicate: duplicates += 1
                case .rejected(let code):
                    rejected += 1
                    fail("event rejected: \(code)")
                case .deferred: deferred += 1
                }
            }
        case .refused(let refusal): fail("batch: \(refusal.words)")
        case .unreachable(let state, let reason): fail("batch: \(state.rawValue): \(reason)")
        case .cancelled: break
        }
    }

    public mutating func add(_ outcome: FenceFetchOutcome, seconds: Double) {
        latencies[.fences, default: LatencyHistogram()].add(seconds)
        switch outcome {
        case .fresh: break
        case .notModified: notModified += 1
        case .failed(let failure): fail("fences: \(failure.message)")
        }
    }

    public mutating func add(_ outcome: HeartbeatOutcome, seconds: Double) {
        latencies[.heartbeat, default: LatencyHistogram()].add(seconds)
        switch outcome {
        case .heard, .cancelled: break
        case .refused(let refusal): fail("heartbeat: \(refusal.words)")
        case .unreachable(let state, let reason): fail("heartbeat: \(state.rawValue): \(reason)")
        }
    }

    public mutating func fail(_ kind: String) {
        let isKept = errors[kind] != nil || errors.count < Self.errorKinds
        errors[isKept ? kind : "other", default: 0] += 1
    }

    public mutating func add(_ other: LoadTally) {
        for (request, histogram) in other.latencies {
            latencies[request, default: LatencyHistogram()].add(histogram)
        }
        waits.add(other.waits)
        accepted += other.accepted
        duplicates += other.duplicates
        rejected += other.rejected
        deferred += other.deferred
        notModified += other.notModified
        for (kind, count) in other.errors { errors[kind, default: 0] += count }
    }
}
