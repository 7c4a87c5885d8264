import Geodesy

/// What is noticed about a fence beside the others of its workspace. Nothing of it stops a fence.
struct FenceSurroundings {
    let store: any FenceStore
    let workspace: Int64

    /// Fences of one request that are looked at.
    static let limit = 200
    /// Metres: farther than this from all others, and nearer than that with its axes exchanged, a
    /// fence looks as if they were.
    static let strayMeters = 1_000_000.0
    static let homeMeters = 100_000.0

    /// Of fences that have been written. What cannot be worked out is left out: an error would say
    /// that they had not been.
    func warnings(about drafts: [FenceDraft]) -> [FenceReading.Warning] {
        drafts.prefix(Self.limit).flatMap { (try? warnings(about: $0)) ?? [] }
    }

    private func warnings(about draft: FenceDraft) throws(StoreError) -> [FenceReading.Warning] {
        var warnings: [FenceReading.Warning] = []
        let center = draft.shape.ground.center
        guard let other = try nearestOther(draft, to: center) else { return [] }
        if isOverlapped(draft, by: other) {
            warnings.append(
                .init(
                    fenceID: draft.id, code: "overlap",
                    detail: "it overlaps fence '\(other.id)': one visit may count at both"))
        }
        if let home = try homeWhenExchanged(draft, center, other) {
            warnings.append(
                .init(
                    fenceID: draft.id, code: "possibly_swapped_axes",
                    detail:
                        "it is \(kilometers(other)) km from every other fence; with latitude "
                        + "and longitude exchanged \(kilometers(home)) km from '\(home.id)'"))
        }
        return warnings
    }

    private func nearestOther(
        _ draft: FenceDraft, to place: Coordinate
    ) throws(StoreError) -> FenceNeighbor? {
        try store.neighbors(of: place, count: 2, in: workspace).first { $0.id != draft.id }
    }

    /// A circle is overlapped by what is nearer to its centre than its radius; of an outline it is
    /// only told where its middle lies in both.
    private func isOverlapped(_ draft: FenceDraft, by other: FenceNeighbor) -> Bool {
        let ground = draft.shape.ground
        guard ground.isOutline else { return other.distanceMeters < ground.reachMeters }
        return other.distanceMeters == 0 && draft.shape.signedDistance(to: ground.center) >= 0
    }

    private func homeWhenExchanged(
        _ draft: FenceDraft, _ center: Coordinate, _ other: FenceNeighbor
    ) throws(StoreError) -> FenceNeighbor? {
        guard other.distanceMeters > Self.strayMeters,
            let exchanged = Coordinate(latitude: center.longitude, longitude: center.latitude),
            let home = try nearestOther(draft, to: exchanged),
            home.distanceMeters < Self.homeMeters
        else { return nil }
        return home
    }

    private func kilometers(_ neighbor: FenceNeighbor) -> Int {
        Int((neighbor.distanceMeters / 1_000).rounded())
    }
}

/// A fence near a place.
public struct FenceNeighbor: Hashable, Sendable {
    public var id: String
    /// Edge distance, 0 inside.
    public var distanceMeters: Double

    public init(id: String, distanceMeters: Double) {
        self.id = id
        self.distanceMeters = distanceMeters
    }
}
