import Geodesy
import Positioning
import Timekeeping

/// Changes of the fence set.
extension FenceTracker {
    /// Replaces the set. Unchanged fences keep their state; those that are gone, disabled or
    /// expired end with an exit where the device is inside.
    ///
    /// - Parameter keepsMissing: whether a fence that the new set does not name still exists, as
    ///   one beyond the ground that an answer covers does. Asked only for fences that the device
    ///   is inside of.
    public mutating func setFences(
        _ set: [PreparedFence], at now: Moment,
        keepsMissing: (PreparedFence) -> Bool = { _ in false }
    ) -> [Transition] {
        let closing = closing(at: now)
        poolSignature = Self.signature(of: set)
        handedOver?.meet(poolSignature)
        var found: [Finding] = []
        var next: [TrackedFence] = []
        next.reserveCapacity(set.count)
        var seen: Set<String> = []
        for prepared in set where seen.insert(prepared.id).inserted {
            if let tracked = carryOver(prepared, at: now, into: &found) { next.append(tracked) }
        }
        var kept: [PreparedFence] = []
        for tracked in fences where !seen.contains(tracked.fence.id) {
            var missing = tracked
            guard missing.state.presence == .inside else { continue }
            if keepsMissing(missing.prepared) {
                next.append(missing)
                kept.append(missing.prepared)
            } else {
                closing.close(&missing, .fenceDeleted, into: &found)
            }
        }
        for record in restored.values where !seen.contains(record.id) {
            closing.close(record, .fenceDeleted, into: &found)
        }
        restored.removeAll()
        for fence in handedOver?.rest ?? [] {
            closing.close(fence, .fenceDeleted, into: &found)
        }
        handedOver = nil
        // The next process is handed those that were kept with the others.
        if !kept.isEmpty { poolSignature = Self.signature(of: set + kept) }
        replace(with: next)
        isStateChanged = true
        return Finding.ordered(found)
    }

    /// The fences that the device is inside of, but for those of the given ids.
    public func insideFences(besides ids: Set<String>) -> [Fence] {
        fences.filter { $0.state.presence == .inside && !ids.contains($0.fence.id) }.map(\.fence)
    }

    /// The fence with its shape laid out, the present one where it did not change.
    public func prepared(
        _ fence: Fence, profile: RegionProfile
    ) throws(ShapeError) -> PreparedFence {
        if let index = indexByID[fence.id],
            fences[index].prepared.shape.shape == profile.monitoredShape(of: fence.shape)
        {
            return PreparedFence(fence, shapedAs: fences[index].prepared)
        }
        return try PreparedFence(fence, profile: profile)
    }

    /// The fence with the state that it goes on with; nil: it is not tracked.
    private mutating func carryOver(
        _ prepared: PreparedFence, at now: Moment, into found: inout [Finding]
    ) -> TrackedFence? {
        let closing = closing(at: now)
        var tracked: TrackedFence
        if let index = indexByID[prepared.id] {
            tracked = fences[index]
            let isSameShape = tracked.prepared.shape == prepared.shape
            if isSameShape {
                tracked.prepared = PreparedFence(prepared.fence, shapedAs: tracked.prepared)
            } else {
                let old = tracked
                tracked = TrackedFence(prepared, addedAt: old.addedAt)
                tracked.state = old.state
                tracked.state.geometryChanged()
                tracked.isMonitored = old.isMonitored
                tracked.isFrozen = old.isFrozen
            }
        } else {
            tracked = TrackedFence(prepared, addedAt: arrival(of: prepared, at: now))
            if let kept = handedOver?.take(prepared.id) {
                kept.restore(&tracked)
            } else if let record = restored.removeValue(forKey: prepared.id) {
                tracked.state = record.state(of: prepared)
                tracked.addedAt = nil
                tracked.isMonitored = true
            }
        }
        tracked.isRetired = false
        if !prepared.fence.isEnabled {
            closing.close(&tracked, .fenceDisabled, into: &found)
            return nil
        }
        if let expiry = prepared.fence.expiresAt, let utc = now.utc, utc >= expiry {
            closing.close(&tracked, .fenceExpired, into: &found)
            return nil
        }
        return tracked
    }

    /// When a fence that is new to this process came into the pool; nil: it was there before the fixes
    /// that it may be evaluated on.
    private func arrival(of prepared: PreparedFence, at now: Moment) -> Uptime? {
        if let handedOver, handedOver.isSameSet { return handedOver.newcomers[prepared.id] }
        return previous == nil ? nil : now.uptime
    }

    private mutating func replace(with next: [TrackedFence]) {
        fences = next
        indexByID.removeAll(keepingCapacity: true)
        for index in fences.indices { indexByID[fences[index].fence.id] = index }
        monitored = fences.indices.filter { fences[$0].isMonitored && !fences[$0].isFrozen }
        nextExpiry = fences.compactMap(\.fence.expiresAt).min()
    }

    /// Ends every visit and stops looking: the kill switch.
    public mutating func disableAll(at now: Moment) -> [Transition] {
        let closing = closing(at: now)
        var found: [Finding] = []
        for index in fences.indices {
            closing.close(&fences[index], .fenceDisabled, into: &found)
            fences[index].state = FenceState()
            fences[index].isMonitored = false
            fences[index].isFrozen = false
        }
        for record in restored.values { closing.close(record, .fenceDisabled, into: &found) }
        restored.removeAll()
        for fence in handedOver?.rest ?? [] {
            closing.close(fence, .fenceDisabled, into: &found)
        }
        handedOver = nil
        if !monitored.isEmpty || !found.isEmpty { isStateChanged = true }
        monitored.removeAll()
        return Finding.ordered(found)
    }

    /// Ends the visits of fences that expire by a moment.
    mutating func expire(at now: Moment) -> [Transition] {
        guard let nextExpiry, let utc = now.utc, utc >= nextExpiry else { return [] }
        let closing = closing(at: now)
        var found: [Finding] = []
        for index in fences.indices {
            guard let expiry = fences[index].fence.expiresAt, utc >= expiry else { continue }
            closing.close(&fences[index], .fenceExpired, into: &found)
            fences[index].state = FenceState()
            fences[index].isMonitored = false
            if !fences[index].isRetired { expiries += 1 }
            fences[index].isRetired = true
        }
        monitored = fences.indices.filter { fences[$0].isMonitored && !fences[$0].isFrozen }
        self.nextExpiry = fences.compactMap { $0.isRetired ? nil : $0.fence.expiresAt }.min()
        isStateChanged = true
        return Finding.ordered(found)
    }

    private func closing(at now: Moment) -> VisitClosing {
        VisitClosing(now: now, last: previous, isScaleForeign: isScaleForeign)
    }
}

extension FenceState {
    /// The boundary is another one: what was measured against the old one means nothing.
    mutating func geometryChanged() {
        awaitsJudgement = presence != .unknown
        seedRun = 0
        insideRun = nil
        exitRun = nil
        isOnInside = nil
        signedDistanceMeters = nil
        crossings.removeAll()
    }
}
