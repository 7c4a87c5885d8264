import Geodesy

/// The fences of a land in the index that the server searches, and what searching them gives.
public struct FenceLandIndex: Sendable {
    public let land: FenceLand
    private let tree: GroundTree
    /// The fence of each ground of the tree.
    private let order: [UInt32]

    /// Builds it.
    public init(_ land: FenceLand) {
        self.land = land
        var neighborhood = SurfaceNeighborhood()
        var packed: ContiguousArray<PackedGround> = []
        packed.reserveCapacity(land.grounds.count)
        for ground in land.grounds { packed.append(PackedGround(ground, near: &neighborhood)) }
        var order: [UInt32] = []
        tree = GroundTree(packing: packed, order: &order)
        self.order = order
    }

    /// Bytes of the index, with the number of each fence.
    public var byteCount: Int { tree.byteCount + order.count * MemoryLayout<UInt32>.stride }

    /// A fence and how far it is.
    public struct Answer: Hashable, Sendable {
        public var fence: Int
        /// Edge distance, 0 inside.
        public var distanceMeters: Double

        public init(fence: Int, distanceMeters: Double) {
            self.fence = fence
            self.distanceMeters = distanceMeters
        }
    }

    /// Ascending by distance, ties by number.
    public func nearest(_ count: Int, to place: Coordinate) -> [Answer] {
        let point = SurfacePoint(place)
        var search = GroundSearch(from: point, count: count)
        search.run(
            over: [tree], accepts: { _ in true },
            outlineDistance: {
                land.outlines[Int(order[$0.ground])].map { max(0, -$0.signedDistance(to: point)) }
            },
            precedes: { order[$0.ground] < order[$1.ground] })
        return search.found.map {
            Answer(fence: Int(order[$0.place.ground]), distanceMeters: $0.distanceMeters)
        }
    }
}
