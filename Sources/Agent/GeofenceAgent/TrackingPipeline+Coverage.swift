import Delivery
import Geodesy
import Geofencing
import Positioning
import Timekeeping

/// Fences that come from a server in parts: when to ask, and what an answer changes.
extension TrackingPipeline {
    /// Takes over a set from the cache: it is monitored at once, and what it covered is known from
    /// the persisted state. `kept` are the `keptFences` of the process before.
    public mutating func restoreFences(
        _ fences: [Fence], keeping kept: [Fence] = [], configuration: RemoteConfiguration,
        at now: Uptime, wallClock: WallClockReading
    ) -> PipelineOutput {
        apply(configuration)
        givenFences = fences
        guard rules.fenceLimit > 0 else { return disable(at: now, wallClock) }
        var output = PipelineOutput()
        let prepared = prepare(wholeSet(fences) + kept, into: &output)
        output.transitions = tracker.setFences(prepared, at: moment(at: now))
        poolChanged()
        finish(&output, wallClock)
        return output
    }

    /// Fences that the device is inside of and that the last answer did not name, since they lie
    /// beyond the ground that it covers.
    public var keptFences: [Fence] {
        tracker.insideFences(besides: Set(wholeSet(givenFences).map(\.id)))
    }

    /// The pending sync was answered: by a new set, or with nil by "not modified".
    public mutating func syncSucceeded(
        _ covered: FenceCoverage, answer: FenceAnswer?, at now: Uptime,
        wallClock: WallClockReading
    ) -> PipelineOutput {
        let signals = coverage?.syncSucceeded(covered, at: now) ?? []
        var output = PipelineOutput()
        // The anchor of "not modified" goes with the next commit: without it a restart asks once
        // more, as it does in any case, and until then reckons with an earlier anchor of the same set.
        if let answer {
            apply(answer.configuration)
            givenFences = answer.fences
            if rules.fenceLimit > 0 {
                let anchor = coverage?.state.anchor?.position
                let prepared = prepare(wholeSet(answer.fences), into: &output)
                output.transitions = tracker.setFences(
                    prepared, at: moment(at: now),
                    keepsMissing: { Self.isBeyond(covered, anchor, $0) })
            } else {
                output.transitions = tracker.disableAll(at: moment(at: now))
                unregisterAll(into: &output)
            }
            poolChanged()
        }
        needsRefreshRegion = true
        note(signals, at: now, into: &output, wallClock)
        finish(&output, wallClock)
        return output
    }

    /// Replaces the set as a recording says that it was replaced: `keeping` names fences of the set
    /// that the answer did not, and with a configuration it came from a server.
    public mutating func replaceFences(
        _ fences: [Fence], keeping kept: Set<String>, configuration: RemoteConfiguration?,
        at now: Uptime, wallClock: WallClockReading
    ) -> PipelineOutput {
        if let configuration { apply(configuration) }
        guard configuration == nil || rules.fenceLimit > 0 else {
            return disable(at: now, wallClock)
        }
        var output = PipelineOutput()
        let prepared = prepare(fences.filter { !kept.contains($0.id) }, into: &output)
        output.transitions = tracker.setFences(
            prepared, at: moment(at: now), keepsMissing: { kept.contains($0.id) })
        poolChanged()
        finish(&output, wallClock)
        return output
    }

    /// The pending sync failed. `random` is uniform in 0 ..< 1.
    public mutating func syncFailed(
        _ failure: FenceFetchFailure, at now: Uptime, random: Double
    ) {
        coverage?.syncFailed(failure, at: now, random: random)
    }

    /// The server said that fences or configuration changed.
    public mutating func configurationPushed() {
        coverage?.configurationPushed()
    }

    /// The network changed. `random` is uniform in 0 ..< 1.
    public mutating func networkChanged(hasRoute: Bool, at now: Uptime, random: Double) {
        coverage?.networkChanged(hasRoute: hasRoute, at: now, random: random)
    }

    /// No sync before then, since the server does not know this device; nil: it does.
    public mutating func pauseSyncs(until time: Uptime?) { coverage?.pause(until: time) }

    /// Lets the guard see a fix, or with nil the passing of time.
    mutating func guardCoverage(
        _ fix: FilteredFix?, at now: Uptime, into output: inout PipelineOutput,
        _ wallClock: WallClockReading
    ) {
        guard coverage != nil else { return }
        var seen: CoverageFix?
        if let fix, fix.verdict == .ok, let position = fix.fix.coordinate {
            seen = CoverageFix(
                position: position, accuracyMeters: fix.accuracyMeters, speed: fix.fix.speed)
        } else if fix != nil {
            return
        }
        guard let step = coverage?.step(fix: seen, at: now) else { return }
        output.sync = step.request
        note(step.signals, at: now, into: &output, wallClock)
    }

    private mutating func note(
        _ signals: [CoverageSignal], at now: Uptime, into output: inout PipelineOutput,
        _ wallClock: WallClockReading
    ) {
        for signal in signals {
            output.stateChanged = true
            output.drafts.append(
                recorder.draft(
                    signal == .lost ? .coverageLost : .coverageRestored, at: moment(at: now),
                    fix: tracker.lastFix?.fix, wallClock: wallClock))
        }
    }

    private mutating func disable(
        at now: Uptime, _ wallClock: WallClockReading
    ) -> PipelineOutput {
        var output = PipelineOutput()
        output.transitions = tracker.disableAll(at: moment(at: now))
        poolChanged()
        finish(&output, wallClock)
        return output
    }

    private mutating func apply(_ configuration: RemoteConfiguration) {
        rules = configuredRules.applying(configuration)
        filter.rules = rules.filter
        tracker.rules = rules.transitions
    }

    /// Whether a fence may have been left out of an answer because it is too far from the anchor,
    /// rather than because it no longer exists.
    private static func isBeyond(
        _ covered: FenceCoverage, _ anchor: Coordinate?, _ fence: PreparedFence
    ) -> Bool {
        guard let radius = covered.coverageRadiusMeters, let anchor else { return false }
        // The server measured to the same place; the share is for what the two measure differently.
        return max(0, -fence.shape.signedDistance(to: anchor)) >= radius * (1 - measuringShare)
    }

    private static let measuringShare = 0.001
}
