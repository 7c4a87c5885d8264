import Cryptography
import Timekeeping
import WireFormat

/// What a device of a workspace is told to do: what was set, and defaults for the rest.
struct DeviceConfiguration: Sendable {
    let config: WireConfig
    /// `config` as JSON.
    let document: [UInt8]
    /// SHA-256 of `document`, for entity tags.
    let digest: [UInt8]
    let isTrialOver: Bool

    /// `commit`: nil: as it is now.
    init(_ call: Call, at commit: Int? = nil) throws {
        let stored = try call.store.configuration(of: call.workspace, at: commit)
        let workspace = try call.store.workspace(call.workspace, at: commit)
        let isTrialOver = workspace?.isExpired(at: call.now) ?? false
        self = try call.configurations.configuration(
            of: call.workspace, stored, isTrialOver: isTrialOver)
    }

    init(_ stored: StoredConfiguration, isTrialOver: Bool) throws {
        self.isTrialOver = isTrialOver
        var config =
            try stored.document.map { try WireCoding.decode(WireConfig.self, from: $0) }
            ?? WireConfig()
        config.revision = stored.revision
        config.fillDefaults()
        if isTrialOver { config.fenceLimit = 0 }
        self.config = config
        document = try WireCoding.encode(config)
        digest = try SHA256.digest(of: document)
    }

    var fenceLimit: Int { config.fenceLimit ?? WireConfig.defaultFenceLimit }
    var refreshAfterMeters: Double {
        config.refreshAfterMeters ?? WireConfig.defaultRefreshAfterMeters
    }
    var refreshAfterSeconds: Double {
        config.refreshAfterSeconds ?? WireConfig.defaultRefreshAfterSeconds
    }
}

extension WireConfig {
    static let defaultFenceLimit = 18
    static let defaultRefreshAfterMeters = 1_000.0
    static let defaultRefreshAfterSeconds = 21_600.0

    /// Puts the defaults of the wire where nothing was set.
    mutating func fillDefaults() {
        fenceLimit = fenceLimit ?? Self.defaultFenceLimit
        refreshAfterMeters = refreshAfterMeters ?? Self.defaultRefreshAfterMeters
        refreshAfterSeconds = refreshAfterSeconds ?? Self.defaultRefreshAfterSeconds
        cooldownHours = cooldownHours ?? 24
        upload = Upload(
            maxBatch: upload?.maxBatch ?? 200, intervalSeconds: upload?.intervalSeconds ?? 60,
            backoffCapSeconds: upload?.backoffCapSeconds)
        accuracy = Accuracy(
            arriveMaxMeters: accuracy?.arriveMaxMeters ?? 100,
            departMaxMeters: accuracy?.departMaxMeters ?? 300)
        dwellGapMaxSeconds = dwellGapMaxSeconds ?? 600
        visitGapMaxSeconds = visitGapMaxSeconds ?? 1_800
    }
}
