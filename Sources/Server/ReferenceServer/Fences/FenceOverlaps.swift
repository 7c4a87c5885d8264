import Geodesy
import WireFormat

/// Finds fences that overlap others of their workspace: one visit may count at both.
struct FenceOverlaps {
    private let store: any FenceStore
    private let workspace: Int64
    private var shapes: [ExactText: PreparedShape]
    /// Vertices that may still be compared for this request.
    private var vertices = Self.vertexLimit

    /// Metres; what is shallower may be a border that was drawn twice.
    static let leastMeters = 1.0
    /// Fences near an outline that it is compared with.
    static let neighborLimit = 20
    /// Vertices that are compared for one request: at most about a second.
    static let vertexLimit = 200_000

    init(store: any FenceStore, workspace: Int64, drafts: [FenceDraft]) {
        self.store = store
        self.workspace = workspace
        shapes = Dictionary(
            drafts.map { (ExactText($0.id), $0.shape) }, uniquingKeysWith: { first, _ in first })
    }

    /// Nil: it overlaps none.
    mutating func warning(
        about draft: FenceDraft
    ) throws(StoreError) -> FenceReading.Warning? {
        let circle = draft.shape.enclosingCircle
        let isOutline = draft.shape.vertexCount > 0
        // The nearest of all is enough for a circle, whose middle is where distances count from.
        let near = try store.neighbors(
            of: circle.center, count: 1 + (isOutline ? Self.neighborLimit : 1), in: workspace
        ).filter {
            ExactText($0.id) != ExactText(draft.id)
                && $0.distanceMeters < circle.radiusMeters - Self.leastMeters
        }
        for other in near {
            guard isOutline else { return Self.warning(draft, other.id) }
            if try overlaps(draft.shape, other.id) { return Self.warning(draft, other.id) }
        }
        return nil
    }

    private mutating func overlaps(
        _ shape: PreparedShape, _ id: String
    ) throws(StoreError) -> Bool {
        guard vertices > 0, let other = try self.shape(of: id) else { return false }
        vertices -= shape.vertexCount + other.vertexCount
        return shape.overlaps(other, deeperThan: Self.leastMeters)
    }

    private mutating func shape(of id: String) throws(StoreError) -> PreparedShape? {
        if let known = shapes[ExactText(id)] { return known }
        guard let fence = try store.fence(id, of: workspace),
            let wire = try? WireCoding.decode(WireFence.self, from: fence.document),
            let shape = try? PreparedShape(wire.fence().shape)
        else { return nil }
        shapes[ExactText(id)] = shape
        return shape
    }

    private static func warning(_ draft: FenceDraft, _ other: String) -> FenceReading.Warning {
        .init(
            fenceID: draft.id, code: "overlap",
            detail: "it overlaps fence '\(other)': one visit may count at both")
    }
}
