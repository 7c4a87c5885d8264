import Geodesy

/// A fence with its shape laid out for measuring.
public struct PreparedFence: Hashable, Sendable {
    public let fence: Fence
    public let shape: PreparedShape

    /// Throws for a shape that cannot be measured at all.
    public init(_ fence: Fence, profile: RegionProfile = .gnss) throws(ShapeError) {
        self.fence = fence
        shape = try PreparedShape(profile.monitoredShape(of: fence.shape))
    }

    public var id: String { fence.id }
}
