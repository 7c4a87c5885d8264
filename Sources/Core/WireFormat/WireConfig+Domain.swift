import Geofencing

extension WireConfig {
    /// The wire form of what the domain knows of a configuration.
    public init(_ remote: RemoteConfiguration) {
        revision = remote.revision
        fenceLimit = remote.fenceLimit
        refreshAfterMeters = remote.refreshAfterMeters
        refreshAfterSeconds = remote.refreshAfterSeconds
        cooldownHours = remote.cooldownHours
        let told = Upload(
            maxBatch: remote.uploadMaxBatch, intervalSeconds: remote.uploadIntervalSeconds,
            backoffCapSeconds: remote.uploadBackoffCapSeconds)
        if told != Upload(maxBatch: nil, intervalSeconds: nil) { upload = told }
        if remote.arriveMaxMeters != nil || remote.departMaxMeters != nil {
            accuracy = Accuracy(
                arriveMaxMeters: remote.arriveMaxMeters, departMaxMeters: remote.departMaxMeters)
        }
        dwellGapMaxSeconds = remote.dwellGapMaxSeconds
        visitGapMaxSeconds = remote.visitGapMaxSeconds
        passAs = remote.passAs
    }
}
