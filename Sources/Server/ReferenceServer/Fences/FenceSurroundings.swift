import Geodesy
import WireFormat

/// What is noticed about a fence beside the others of its workspace, and beside what devices have told
/// from it. Nothing of it stops a fence.
struct FenceSurroundings {
    let store: any FenceStore
    let workspace: Int64

    /// Fences of one request that are looked at.
    static let limit = 200

    /// Of fences that have been written. What cannot be worked out is left out: an error would say
    /// that they had not been. `created`: those of which no event can have come yet.
    func warnings(
        about drafts: [FenceDraft], created: [String] = []
    ) -> [FenceReading.Warning] {
        let looked = Array(drafts.prefix(Self.limit))
        let new = Set(created.map(ExactText.init))
        let known = looked.map(\.id).filter { !new.contains(ExactText($0)) }
        let accuracies = (try? store.accuracies(atFences: known, of: workspace)) ?? [:]
        var overlaps = FenceOverlaps(store: store, workspace: workspace)
        let axes = FenceAxes(
            store: store, workspace: workspace, request: Set(drafts.map { ExactText($0.id) }))
        return looked.flatMap { draft in
            [
                (try? overlaps.warning(about: draft)) ?? nil,
                (try? axes.warning(about: draft)) ?? nil,
                FenceReading.Warning(
                    of: draft, beside: ErrorCircle.warned(by: accuracies[draft.id] ?? [])),
            ].compactMap { $0 }
        }
    }
}

/// A fence near a place.
public struct FenceNeighbor: Hashable, Sendable {
    public var id: String
    /// Edge distance, 0 inside.
    public var distanceMeters: Double
    public var shape: PreparedShape

    public init(id: String, distanceMeters: Double, shape: PreparedShape) {
        self.id = id
        self.distanceMeters = distanceMeters
        self.shape = shape
    }
}
