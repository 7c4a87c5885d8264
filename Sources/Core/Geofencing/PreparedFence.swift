import Geodesy

/// A fence with its shape laid out for measuring. Copying costs one reference.
public struct PreparedFence: Hashable, Sendable {
    private final class Contents: Sendable {
        let fence: Fence
        let shape: PreparedShape
        let fingerprint: UInt64

        init(_ fence: Fence, _ shape: PreparedShape, _ fingerprint: UInt64) {
            self.fence = fence
            self.shape = shape
            self.fingerprint = fingerprint
        }
    }

    private let contents: Contents

    /// Throws for a shape that cannot be measured at all.
    public init(_ fence: Fence, profile: RegionProfile = .gnss) throws(ShapeError) {
        let shape = profile.monitoredShape(of: fence.shape)
        contents = Contents(fence, try PreparedShape(shape), shape.fingerprint)
    }

    /// New content on a shape that is already laid out.
    init(_ fence: Fence, shapedAs other: PreparedFence) {
        contents = Contents(fence, other.shape, other.fingerprint)
    }

    public var fence: Fence { contents.fence }
    public var shape: PreparedShape { contents.shape }
    /// Tells shapes apart over a restart.
    var fingerprint: UInt64 { contents.fingerprint }
    /// Metres from the boundary, positive inside.
    @inline(__always)
    func signedDistance(to point: SurfacePoint) -> Double {
        contents.shape.signedDistance(to: point)
    }

    public var id: String { contents.fence.id }

    public static func == (left: PreparedFence, right: PreparedFence) -> Bool {
        left.contents === right.contents
            || left.fence == right.fence && left.shape == right.shape
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(fence)
    }
}
