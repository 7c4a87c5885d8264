import Geofencing
import Positioning
import Timekeeping

/// The regions as the emulated monitor has them, and the fences of the device itself.
extension TrackingPipeline {
    /// Replaces the fences that were added on the device; the others stay as they are.
    public mutating func setLocalFences(
        _ fences: [Fence], at now: Uptime, wallClock: WallClockReading
    ) -> PipelineOutput {
        var output = PipelineOutput()
        localFences = fences
        let prepared = prepare(wholeSet(givenFences), into: &output)
        // One that no answer names any more, and that the device is inside of, was kept for that.
        output.transitions = tracker.setFences(
            prepared, at: moment(at: now), keepsMissing: { !$0.fence.isLocal })
        poolChanged()
        finish(&output, wallClock)
        return output
    }

    /// Whether regions can be monitored now, and why not. What is registered stays registered.
    public mutating func setAvailability(_ availability: RegionMonitor.Availability) {
        monitor.setAvailability(availability)
    }

    public var availability: RegionMonitor.Availability { monitor.availability }

    /// The region of a fence as it is registered; nil: it is not monitored.
    public func region(of fenceID: String) -> Region? { monitor[fenceID] }

    /// The region around the last sync whose crossing asks for the next one; nil: none.
    public var refreshRegion: Region? { monitor[RegionMonitor.refreshIdentifier] }

    mutating func register(_ selection: RegionSelection, into output: inout PipelineOutput) {
        for id in selection.left {
            if let change = monitor.unregister(id) { output.regionChanges.append(change) }
        }
        guard !selection.joined.isEmpty else { return }
        let joined = Set(selection.joined)
        for prepared in budget.pool where joined.contains(prepared.id) {
            register(prepared, into: &output)
        }
    }

    /// Registers anew what is monitored and has another shape than before.
    mutating func renewRegions(into output: inout PipelineOutput) {
        for prepared in budget.pool {
            guard let present = monitor[prepared.id] else { continue }
            let wanted = monitor.region(prepared.id, around: prepared.shape.enclosingCircle)
            if wanted != present { register(prepared, into: &output) }
        }
    }

    /// The region for the next sync; it has a place of its own beside the fences.
    mutating func registerRefreshRegion(into output: inout PipelineOutput) {
        needsRefreshRegion = false
        guard let circle = coverage?.refreshRegion else { return }
        do throws(RegionError) {
            _ = try monitor.register(RegionMonitor.refreshIdentifier, around: circle)
        } catch {
            output.regionErrors.append(error)
        }
    }

    mutating func unregisterAll(into output: inout PipelineOutput) {
        for region in monitor.regions {
            guard let change = monitor.unregister(region.identifier),
                region.identifier != RegionMonitor.refreshIdentifier
            else { continue }
            output.regionChanges.append(change)
        }
    }

    private mutating func register(
        _ prepared: PreparedFence, into output: inout PipelineOutput
    ) {
        do throws(RegionError) {
            let circle = prepared.shape.enclosingCircle
            output.regionChanges.append(try monitor.register(prepared.id, around: circle))
        } catch {
            output.regionErrors.append(error)
        }
    }
}
