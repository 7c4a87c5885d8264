import Geodesy
import Timekeeping
import WebServer

/// Where the server keeps everything; every call blocks until it is done, and a change has been
/// committed durably when its call returns.
///
/// A workspace sees nothing of another one. `now` is handed in: the store has no clock.
public protocol ServerStore: KeyStore, FenceStore, CampaignStore, EventStore, DeviceStore {
    /// Throws where a request could not be served now.
    func checkReadiness() throws(StoreError)

    /// Notes that a request with an `Idempotency-Key` begins; what is kept of an earlier one.
    func reserveAnswer(
        _ key: String, hash: [UInt8], in workspace: Int64, now: UTCTime
    ) throws(StoreError) -> KeptAnswer?
    func keepAnswer(
        _ response: Response, for key: String, in workspace: Int64
    ) throws(StoreError)
    func forgetAnswer(_ key: String, in workspace: Int64) throws(StoreError)
}

/// Workspaces and the keys that open them.
public protocol KeyStore: Sendable {
    /// Throws `conflict` where the name is taken.
    func createWorkspace(_ draft: WorkspaceDraft, now: UTCTime) throws(StoreError) -> Workspace
    func workspaces() throws(StoreError) -> [Workspace]
    /// A number that is another one after every commit, whoever made it.
    func commitNumber() throws(StoreError) -> Int
    /// As of a commit number that was taken before, or later; nil: as it is now.
    func workspace(_ id: Int64, at commit: Int?) throws(StoreError) -> Workspace?
    /// A trial that stays one goes on until the moment until which it goes.
    func setPlan(
        _ plan: Workspace.Plan, limits: WorkspaceLimits, of workspace: Int64, now: UTCTime
    ) throws(StoreError)

    /// The key with this SHA-256; nil: there never was one. `commit` as with workspaces.
    func key(hash: [UInt8], at commit: Int?) throws(StoreError) -> KeyRecord?
    func keys(of workspace: Int64) throws(StoreError) -> [KeyRecord]
    /// Throws `limit` where the workspace has as many device keys as it may.
    func addKey(_ draft: KeyDraft, to workspace: Int64, now: UTCTime) throws(StoreError)
        -> KeyRecord
    /// False: there is no such key.
    func revokeKey(_ id: Int64, of workspace: Int64, now: UTCTime) throws(StoreError) -> Bool

    func addProvisionCode(
        _ code: ProvisionCode, to workspace: Int64, now: UTCTime
    ) throws(StoreError)
    /// Exchanges the code of a hash for a key that `key` makes, in one step: a code gives one key.
    func provision(
        _ hash: [UInt8], device: String, key: @escaping @Sendable (KeyScope) throws -> KeyDraft,
        now: UTCTime
    ) throws(StoreError) -> Result<KeyRecord, ProvisionRefusal>
}

/// The fences of a workspace and the configuration of its devices.
public protocol FenceStore: Sendable {
    /// The zones that fences may name, and by which their hours are judged.
    var zones: any TimeZoneSource { get }
    /// At most `pool` fences by edge distance, ties by id, of those that are for the member and have
    /// not expired. `commit` as with workspaces.
    func nearest(
        _ position: Coordinate, pool: Int, for member: FenceAudienceMember, in workspace: Int64,
        now: UTCTime, at commit: Int?
    ) throws(StoreError) -> NearestFences
    /// At most `count` fences by edge distance, whomever they are for and though they have expired.
    func neighbors(
        of position: Coordinate, count: Int, in workspace: Int64
    ) throws(StoreError) -> [FenceNeighbor]
    /// 68 % radii in metres of the positions with which events at these fences came, of the newest
    /// events of the workspace: bounded work. A fence of which there are none is left out.
    func accuracies(
        atFences ids: [String], of workspace: Int64
    ) throws(StoreError) -> [String: [Double]]
    /// The fences whose audience names the member, in order of id, those after `id`.
    func fences(
        assignedTo member: FenceAudienceMember, of workspace: Int64, after id: String?, limit: Int,
        now: UTCTime
    ) throws(StoreError) -> [StoredFence]
    func fence(_ id: String, of workspace: Int64) throws(StoreError) -> StoredFence?
    /// In order of id, those after `id`.
    func fences(
        of workspace: Int64, after id: String?, limit: Int
    ) throws(StoreError) -> [StoredFence]
    /// Writes all or none. A fence that is already there as it is keeps its version.
    func putFences(
        _ drafts: [FenceDraft], replacingAll: Bool, in workspace: Int64, now: UTCTime
    ) throws(StoreError) -> FenceChanges
    /// False: there is no such fence.
    func deleteFence(_ id: String, of workspace: Int64) throws(StoreError) -> Bool
    /// `commit` as with workspaces.
    func configuration(
        of workspace: Int64, at commit: Int?
    ) throws(StoreError) -> StoredConfiguration
    /// Returns it with the revision that it got.
    func putConfiguration(
        _ document: [UInt8], of workspace: Int64
    ) throws(StoreError) -> StoredConfiguration
}

/// What is said at the fences of a workspace.
public protocol CampaignStore: Sendable {
    func campaign(_ id: String, of workspace: Int64) throws(StoreError) -> StoredCampaign?
    /// In order of id, those after `id`.
    func campaigns(
        of workspace: Int64, after id: String?, limit: Int
    ) throws(StoreError) -> [StoredCampaign]
    /// Writes a campaign and who carries it. Throws `conflict` where it must be new and is not, and
    /// `unknownFence`.
    func putCampaign(
        _ draft: CampaignDraft, mustBeNew: Bool, in workspace: Int64, now: UTCTime
    ) throws(StoreError) -> (campaign: StoredCampaign, isNew: Bool)
    /// False: there is no such campaign.
    func deleteCampaign(_ id: String, of workspace: Int64) throws(StoreError) -> Bool
}

/// Events, and what follows from them.
public protocol EventStore: Sendable {
    /// Returns only after the durable commit, one outcome for each event in its order.
    func ingest(
        _ batch: IncomingBatch, into workspace: Int64, now: UTCTime
    ) throws(StoreError) -> [EventOutcome]
    /// Those that match of the next `filter.limit` events of the workspace: bounded work, however rare
    /// what is searched. Next: the cursor that goes on; nil: it is over.
    func eventPiece(
        _ filter: EventFilter, of workspace: Int64
    ) throws(StoreError) -> (events: [StoredEvent], next: Int64?)
    /// As `eventPiece`.
    func visitPiece(
        _ filter: VisitFilter, of workspace: Int64
    ) throws(StoreError) -> (visits: [StoredVisit], next: Int64?)
    /// The one of a `client_event_id`; nil: none is kept.
    func event(_ id: String, of workspace: Int64) throws(StoreError) -> StoredEvent?
    /// The one of an id, of several the first that became known; nil: none is kept.
    func visit(_ id: String, of workspace: Int64) throws(StoreError) -> StoredVisit?
    /// Those of one device, after `last` in order of boot and uptime.
    func anchors(
        ofDevice device: String, of workspace: Int64, after last: StoredAnchor?, limit: Int
    ) throws(StoreError) -> [StoredAnchor]
    /// Those of one device among the next `limit` of the store. Next: the cursor that goes on.
    func claimPiece(
        ofDevice device: String, of workspace: Int64, after event: Int64?, limit: Int
    ) throws(StoreError) -> (claims: [StoredClaim], next: Int64?)
    func usage(of workspace: Int64, now: UTCTime) throws(StoreError) -> Usage
    /// Deletes at most `limit` events of all workspaces, the oldest first, and the visits that lose
    /// their last event by it; how many events there were. A visit that is still open stays.
    func deleteEvents(receivedBefore end: UTCTime, limit: Int) throws(StoreError) -> Int
    /// Deletes the anchors and boots of some devices that no event needs any more; after which device
    /// the next piece begins, nil: that was the last.
    func deleteAnchors(before end: UTCTime, afterDevice device: Int64) throws(StoreError) -> Int64?
    /// Forgets devices that have been silent since `end`, a piece of them; as with anchors.
    func eraseSilentDevices(
        before end: UTCTime, afterDevice device: Int64
    ) throws(StoreError) -> Int64?
    /// What was noted last; nothing at first.
    func retentionDays() throws(StoreError) -> RetentionDays
    func noteRetention(_ days: RetentionDays) throws(StoreError)
    /// Deletes codes and kept answers whose time is over.
    func deleteExpired(before end: UTCTime, now: UTCTime) throws(StoreError)
}

/// What is known of each device.
public protocol DeviceStore: Sendable {
    /// Throws `limit` for a new device where the workspace has as many as it may.
    func heartbeat(
        _ report: DeviceReport, from device: String, of workspace: Int64, now: UTCTime
    ) throws(StoreError)
    /// When a device was last written down; nil: never. Throws `limit` for one that is new where the
    /// workspace has as many as it may.
    func lastSight(of device: String, in workspace: Int64) throws(StoreError) -> UTCTime?
    /// In order of id, those after `id`.
    func devices(
        _ filter: DeviceFilter, of workspace: Int64, after id: String?, limit: Int
    ) throws(StoreError) -> [StoredDevice]
    /// Devices of all workspaces under whose name there are two.
    func interleavedDeviceCount() throws(StoreError) -> Int
    func device(_ id: String, of workspace: Int64) throws(StoreError) -> StoredDevice?
    /// Nil: there is no such device.
    func setTags(
        _ tags: [String], of device: String, in workspace: Int64
    ) throws(StoreError) -> StoredDevice?
    /// Revokes the device's own keys and deletes everything that is kept of it, in pieces; where that is
    /// broken off the device is still there, and can be erased again. False: there is none.
    func eraseDevice(_ id: String, of workspace: Int64, now: UTCTime) throws(StoreError) -> Bool
}
