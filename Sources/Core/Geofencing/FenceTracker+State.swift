import Positioning
import Timekeeping

extension FenceTracker.State {
    private enum CodingKeys: String, CodingKey {
        case fixes, intervals, fences
    }

    /// A fix of an impossible time is none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        fixes = try container.decode([KeptFix].self, forKey: .fixes).filter(\.isPossible)
        intervals = try container.decode([Double].self, forKey: .intervals)
        fences = try container.decode([FenceRecord].self, forKey: .fences)
    }
}

/// Restart.
extension FenceTracker {
    /// What a restart must not forget.
    public struct State: Hashable, Sendable, Codable {
        /// Newest first, at most two.
        var fixes: [KeptFix]
        /// Seconds between the last accepted fixes.
        var intervals: [Double]
        var fences: [FenceRecord]

        /// Puts the state on the uptime scale of another boot; nil: no clock spans the two.
        public mutating func rebase(shiftMilliseconds shift: Int64?) {
            for index in fences.indices { fences[index].rebase(shiftMilliseconds: shift) }
            guard let shift else {
                fixes.removeAll()
                return
            }
            for index in fixes.indices {
                fixes[index].uptime =
                    fixes[index].uptime.addingReportingOverflow(shift).partialValue
            }
        }

        /// Uptime and trusted time of the last fix, to find the shift with; nil: not known.
        public var lastMoment: Moment? {
            fixes.first.map { kept in
                Moment(
                    uptime: Uptime(milliseconds: kept.uptime),
                    utc: kept.isTimeTrusted
                        ? kept.utc.map(UTCTime.init(millisecondsSince1970:)) : nil)
            }
        }

        /// Ids of the fences that the device is inside of.
        public var insideIDs: [String] {
            fences.filter { $0.presence == .inside }.map(\.id)
        }
    }

    /// The state to persist. Fences that are not looked at have none.
    public var state: State {
        State(
            fixes: [previous, beforePrevious].compactMap { $0.flatMap(KeptFix.init) },
            intervals: period.intervals,
            fences: fences.filter { $0.isMonitored && $0.state.presence != .unknown }
                .map(record))
    }

    private func record(_ tracked: TrackedFence) -> FenceRecord {
        FenceRecord(tracked, motions: motions, breaks: breaks)
    }

    /// The state was persisted, or will be.
    public mutating func markPersisted() {
        isStateChanged = false
    }

    /// Puts everything restored on the uptime scale of this boot; nil: no clock spans the two.
    public mutating func rebase(shiftMilliseconds shift: Int64?) {
        isScaleForeign = false
        isReachKnown = false
        var state = State(
            fixes: [previous, beforePrevious].compactMap { $0.flatMap(KeptFix.init) },
            intervals: [], fences: Array(restored.values))
        state.rebase(shiftMilliseconds: shift)
        resume(after: state.fixes.compactMap { $0.filtered(shiftMilliseconds: 0) })
        restored = Dictionary(
            state.fences.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for index in fences.indices where fences[index].state.presence != .unknown {
            var record = record(fences[index])
            record.rebase(shiftMilliseconds: shift)
            fences[index].state = record.state(of: fences[index].prepared)
            fences[index].state.motions = motions
            fences[index].state.breaks = breaks
        }
    }

    /// Goes on from a persisted state. The time between is an outage, rest begins anew, and the
    /// fences come with the next `setFences`.
    ///
    /// - Parameter isSameBoot: whether its uptimes are on the scale of this boot; else call `rebase`
    ///   before the first fix.
    public init(rules: TransitionRules, restoring state: State, isSameBoot: Bool = true) {
        self.init(rules: rules)
        isScaleForeign = !isSameBoot
        resume(after: state.fixes.compactMap { $0.filtered(shiftMilliseconds: 0) })
        period = NominalPeriod(intervals: state.intervals)
        isInterrupted = true
        isResuming = isSameBoot
        for record in state.fences { restored[record.id] = record }
    }
}
