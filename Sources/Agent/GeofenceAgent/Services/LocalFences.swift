import Geofencing
import Timekeeping
import WireFormat

/// The fences that were added on the device itself, as they are stored. Pure.
struct LocalFences: Hashable, Sendable, Codable {
    private(set) var schema = "geofenced.local_fences/1"
    private(set) var fences: [WireFence] = []

    /// As the tracker knows them; one that this version cannot read is left out.
    var domain: [Fence] {
        fences.compactMap { wire in
            var fence = try? wire.fence()
            fence?.isLocal = true
            return fence
        }
    }

    /// Adds fences, or replaces those of the same id. All or none.
    ///
    /// - Parameters:
    ///   - given: ids of fences that come from elsewhere.
    ///   - now: nil while it is not known.
    mutating func add(
        _ new: [WireFence], given: Set<String>, at now: UTCTime?
    ) throws(ControlRefusal) -> FenceListChange {
        guard !new.isEmpty else { throw ControlRefusal(.badRequest, "no fences to add") }
        try Self.check(new, given: given)
        var next = fences
        var change = FenceListChange()
        for var fence in new {
            fence.distanceMeters = nil
            change.warnings += FenceCheck.warnings(about: fence).map { "\(fence.id.text): \($0)" }
            if let index = next.firstIndex(where: { $0.id == fence.id }) {
                fence.version = (next[index].version ?? 1) + 1
                fence.createdAt = next[index].createdAt
                next[index] = fence
                change.replaced.append(fence.id.text)
            } else {
                fence.version = 1
                fence.createdAt = now.map { .init($0) }
                next.append(fence)
                change.added.append(fence.id.text)
            }
        }
        guard next.count <= RegionBudget.localLimit else {
            throw ControlRefusal(
                .invalidFence,
                "\(next.count) fences on the device, at most \(RegionBudget.localLimit)")
        }
        fences = next
        change.count = next.count
        return change
    }

    /// Removes fences. All or none.
    mutating func remove(_ ids: [String]) throws(ControlRefusal) -> FenceListChange {
        guard !ids.isEmpty else { throw ControlRefusal(.badRequest, "no fences to remove") }
        let present = Set(fences.map(\.id.text))
        if let unknown = ids.first(where: { !present.contains($0) }) {
            throw ControlRefusal(
                .invalidFence, "there is no fence '\(unknown)' that was added on this device")
        }
        fences.removeAll { ids.contains($0.id.text) }
        return FenceListChange(removed: ids, count: fences.count)
    }

    private static func check(
        _ new: [WireFence], given: Set<String>
    ) throws(ControlRefusal) {
        var defects: [Problem.Defect] = []
        var seen: Set<String> = []
        for (index, fence) in new.enumerated() {
            var found = FenceCheck.defects(of: fence)
            if !seen.insert(fence.id.text).inserted {
                found.append(.init(pointer: "/id", code: "duplicate_id", detail: "stands twice"))
            }
            if given.contains(fence.id.text) {
                found.append(
                    .init(
                        pointer: "/id", code: "id_taken",
                        detail: "'\(fence.id.text)' is a fence from elsewhere"))
            }
            for var defect in found {
                defect.pointer = "/fences/\(index)\(defect.pointer)"
                defects.append(defect)
            }
        }
        guard let first = defects.first else { return }
        let rest = defects.count > 1 ? " (and \(defects.count - 1) more)" : ""
        throw ControlRefusal(
            .invalidFence, "\(first.placedDescription)\(rest)", defects: defects)
    }
}
