import Delivery
import Geofencing
import Positioning
import Timekeeping
import WireFormat

/// Fences that are added on the device itself, and what `fences list` shows.
extension TrackingService {
    /// Puts the stored ones in place, before the first set is monitored.
    func restoreLocalFences() {
        guard let bytes = stored(.localFences) else { return }
        do throws(WireError) {
            localFences = try WireCoding.decode(LocalFences.self, from: bytes)
            pipeline.localFences = localFences.domain
            renewBook()
        } catch {
            log.write(LogLine(.error, "the stored fences of the device cannot be read: \(error)"))
        }
    }

    /// Adds or replaces fences of the device. They are on disk when this returns.
    func addLocalFences(_ fences: [WireFence]) throws(ControlRefusal) -> FenceListChange {
        var next = localFences
        let change = try next.add(
            fences, given: Set(pipeline.givenFences.map(\.id)),
            at: pipeline.moment(at: time.uptime).utc)
        try replaceLocalFences(by: next)
        return change
    }

    func removeLocalFences(_ ids: [String]) throws(ControlRefusal) -> FenceListChange {
        var next = localFences
        let change = try next.remove(ids)
        try replaceLocalFences(by: next)
        return change
    }

    /// Commits, then monitors. What memory alone would keep is refused: it would be gone with the
    /// next start, after somebody was told that it is there.
    private func replaceLocalFences(by next: LocalFences) throws(ControlRefusal) {
        let bytes = try ControlRefusal.encode(next)
        let before = stored(.localFences)
        do throws(QueueError) {
            _ = try queue.commit([], state: StateUpdate(values: [.localFences: bytes]))
        } catch {
            throw ControlRefusal(.storage, "nothing was changed: \(error)")
        }
        guard case .durable = queue.health else {
            _ = try? queue.commit([], state: StateUpdate(values: [.localFences: before]))
            throw ControlRefusal(.storage, "nothing was changed: storage \(queue.health.name)")
        }
        localFences = next
        renewBook()
        log.write(
            LogLine(.notice, "the fences of this device have changed: \(next.fences.count) now"))
        let now = time.uptime
        let output = pipeline.setLocalFences(next.domain, at: now, wallClock: time.wallClock)
        record(pipeline.wholeSet(pipeline.givenFences), configuration: nil, at: now)
        settle(output, values: source.syncID == nil ? [:] : keptFenceValues())
    }

    /// Every known fence with its state and its region.
    func fenceList() -> FenceList {
        let given = Set(pipeline.givenFences.map(\.id))
        var reason: RegionMonitor.Reason?
        if case .unavailable(let why) = pipeline.availability { reason = why }
        return FenceList(
            profile: pipeline.rules.regionProfile.rawValue, limit: pipeline.rules.fenceLimit,
            isAvailable: reason == nil, unavailableReason: reason?.rawValue,
            refreshRadiusMeters: pipeline.refreshRegion?.radiusMeters,
            shadowed: pipeline.localFences.map(\.id).filter(given.contains),
            fences: pipeline.status(at: time.uptime).fences.map(entry))
    }

    private func entry(_ fence: FenceStatus) -> FenceList.Entry {
        let region = fence.isMonitored && !fence.isFrozen ? pipeline.region(of: fence.id) : nil
        return FenceList.Entry(
            id: fence.id, name: fence.name,
            source: fence.isLocal ? Self.deviceSource : source.origin.rawValue,
            state: fence.presence.rawValue, signedDistanceMeters: fence.signedDistanceMeters,
            since: fence.since?.utc.map(WireTime.init), dwelled: fence.hasDwelled,
            uncertain: fence.isUncertain,
            monitoring: fence.isFrozen ? "overflow" : region == nil ? "pool" : "registered",
            regionRadiusMeters: region?.radiusMeters, regionFit: region?.fit.rawValue,
            tooSmallHere: fence.isTooSmallHere)
    }

    static let deviceSource = "device"
}
