import Geodesy

/// Finds fences whose latitude and longitude look exchanged although both are in range: far from the
/// workspace's others, and next to one of them the other way round.
struct FenceAxes {
    let store: any FenceStore
    let workspace: Int64
    /// Fences that came together, and may all be the wrong way round.
    let request: Set<ExactText>

    /// Metres: farther than this from all others, and nearer than that with its axes exchanged, a
    /// fence looks as if they were.
    static let strayMeters = 1_000_000.0
    static let homeMeters = 100_000.0
    /// Fences near a place that are looked at for one that did not come with it.
    static let neighborLimit = 20

    /// Nil: it looks right, or there is nothing to compare it with.
    func warning(about draft: FenceDraft) throws(StoreError) -> FenceReading.Warning? {
        let center = draft.shape.ground.center
        guard let exchanged = Coordinate(latitude: center.longitude, longitude: center.latitude),
            center.distance(to: exchanged) > Self.strayMeters - Self.homeMeters
        else { return nil }
        let (here, isHereAll) = try others(near: center, draft)
        let (there, _) = try others(near: exchanged, draft)
        if let other = here.first, other.distanceMeters > Self.strayMeters,
            let home = there.first, home.distanceMeters < Self.homeMeters
        {
            return Self.warning(
                draft, "it is \(Self.kilometers(other)) km from every other fence", home)
        }
        // One of many that came together: those beside it prove nothing. Where they hide all others,
        // nobody knows how near the next one is.
        guard let home = there.first(where: isOlder), home.distanceMeters < Self.homeMeters,
            here.first(where: isOlder).map({ $0.distanceMeters > Self.strayMeters }) ?? isHereAll
        else { return nil }
        return Self.warning(draft, "only fences that came with it are anywhere near it", home)
    }

    /// The nearest others, and whether there are no more than these.
    private func others(
        near place: Coordinate, _ draft: FenceDraft
    ) throws(StoreError) -> (fences: [FenceNeighbor], areAll: Bool) {
        let near = try store.neighbors(of: place, count: Self.neighborLimit, in: workspace)
        return (
            near.filter { ExactText($0.id) != ExactText(draft.id) },
            near.count < Self.neighborLimit
        )
    }

    private func isOlder(_ neighbor: FenceNeighbor) -> Bool {
        !request.contains(ExactText(neighbor.id))
    }

    private static func warning(
        _ draft: FenceDraft, _ finding: String, _ home: FenceNeighbor
    ) -> FenceReading.Warning {
        .init(
            fenceID: draft.id, code: "possibly_swapped_axes",
            detail:
                "\(finding); with latitude and longitude exchanged it is \(kilometers(home)) km "
                + "from '\(home.id)'")
    }

    private static func kilometers(_ neighbor: FenceNeighbor) -> Int {
        // Half the way round the Earth is 20,004 km.
        Int(min(max(0, neighbor.distanceMeters / 1_000), 20_004).rounded())
    }
}
