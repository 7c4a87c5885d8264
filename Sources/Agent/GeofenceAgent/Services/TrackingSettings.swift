import Geofencing
import Timekeeping
import WireFormat

/// What the control loop takes from the configuration.
public struct TrackingSettings: Sendable {
    public var rules: PipelineRules
    public var uploadMaxBatch: Int
    public var uploadIntervalSeconds: Double
    /// Seconds without a word from the server after which the device says how it is; nil: never.
    public var heartbeatSeconds: Double?
    /// No date before it can be true.
    public var dateFloor: CalendarDate
    /// Fences of a device without a server; nil: they come from a server.
    public var fixedFences: [Fence]?
    /// For `status`; nil: standalone.
    public var serverURL: String?
    public var deviceID: String
    /// Learns what time it is, for the check of certificates.
    public var certificateTime = CertificateTime(floor: ProjectVersion.dateFloor)
    /// Where to leave snapshots for the next process; nil: nowhere, and each restart is an outage.
    public var snapshots: (any SnapshotStore)?
    /// Nil: nothing is recorded.
    public var recording: RecordingPlan?
    /// For how long positions are gathered before they are written; nil: none are kept.
    public var breadcrumbGroupSeconds: Double?
    /// Who is told what, and how.
    public var notifications = NotificationSettings()
    /// What the source of fixes tells of itself; asked once a second.
    public var receiverReport: @Sendable () -> ReceiverReport = { ReceiverReport() }

    public init(
        rules: PipelineRules, uploadMaxBatch: Int, uploadIntervalSeconds: Double,
        dateFloor: CalendarDate, fixedFences: [Fence]?, serverURL: String?, deviceID: String
    ) {
        self.rules = rules
        self.uploadMaxBatch = uploadMaxBatch
        self.uploadIntervalSeconds = uploadIntervalSeconds
        self.dateFloor = dateFloor
        self.fixedFences = fixedFences
        self.serverURL = serverURL
        self.deviceID = deviceID
    }
}
