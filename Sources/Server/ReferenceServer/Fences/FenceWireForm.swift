import Timekeeping
import WireFormat

/// The wire form of a fence from which the store makes the bytes that it keeps.
public struct FenceWireForm: Hashable, Sendable {
    private var fence: WireFence

    /// Version, time of creation and distance are dropped: the server says those. Campaigns too:
    /// they are kept for themselves, with versions of their own.
    public init(_ fence: WireFence) {
        self.fence = fence
        self.fence.version = nil
        self.fence.createdAt = nil
        self.fence.distanceMeters = nil
        self.fence.campaigns = nil
    }

    /// The document of one version.
    public func document(version: Int, createdAt: UTCTime) throws -> [UInt8] {
        var fence = fence
        fence.version = version
        fence.createdAt = WireTime(createdAt)
        return try WireCoding.encode(fence)
    }

    /// The same bytes for the same content, whatever its version.
    public func content() throws -> [UInt8] { try WireCoding.encode(fence) }
}
