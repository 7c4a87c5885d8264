import Geodesy
import Timekeeping

extension KeyStore {
    /// As it is now.
    public func workspace(_ id: Int64) throws(StoreError) -> Workspace? {
        try workspace(id, at: nil)
    }

    /// As it is now.
    public func key(hash: [UInt8]) throws(StoreError) -> KeyRecord? {
        try key(hash: hash, at: nil)
    }
}

extension FenceStore {
    /// As it is now.
    public func nearest(
        _ position: Coordinate, pool: Int, for member: FenceAudienceMember, in workspace: Int64,
        now: UTCTime
    ) throws(StoreError) -> NearestFences {
        try nearest(position, pool: pool, for: member, in: workspace, now: now, at: nil)
    }

    /// As it is now.
    public func configuration(of workspace: Int64) throws(StoreError) -> StoredConfiguration {
        try configuration(of: workspace, at: nil)
    }
}
