import Geodesy

/// Finds fences that overlap others of their workspace: one visit may count at both.
struct FenceOverlaps {
    private let store: any FenceStore
    private let workspace: Int64
    /// What may still be worked out for this request.
    private(set) var effort: OverlapEffort

    /// Metres; what is shallower may be a border that was drawn twice.
    static let leastMeters = 1.0
    /// Fences near an outline that it is compared with.
    static let neighborLimit = 20
    /// Edges that are looked at for one request, see `OverlapEffort`.
    static let effortLimit = 200_000_000

    init(
        store: any FenceStore, workspace: Int64,
        effort: OverlapEffort = OverlapEffort(limit: Self.effortLimit)
    ) {
        self.store = store
        self.effort = effort
        self.workspace = workspace
    }

    /// Nil: it overlaps none.
    mutating func warning(
        about draft: FenceDraft
    ) throws(StoreError) -> FenceReading.Warning? {
        let circle = draft.shape.enclosingCircle
        let isOutline = draft.shape.vertexCount > 0
        if isOutline, effort.isUsedUp { return nil }
        // The nearest of all is enough for a circle, whose middle is where distances count from.
        let near = try store.neighbors(
            of: circle.center, count: 1 + (isOutline ? Self.neighborLimit : 1), in: workspace
        ).filter {
            ExactText($0.id) != ExactText(draft.id)
                && $0.distanceMeters < circle.radiusMeters - Self.leastMeters
        }
        for other in near {
            guard isOutline else { return Self.warning(draft, other.id) }
            if draft.shape.overlaps(
                other.shape, deeperThan: Self.leastMeters, within: &effort) == true
            {
                return Self.warning(draft, other.id)
            }
        }
        return nil
    }

    private static func warning(_ draft: FenceDraft, _ other: String) -> FenceReading.Warning {
        .init(
            fenceID: draft.id, code: "overlap",
            detail: "it overlaps fence '\(other)': one visit may count at both")
    }
}
