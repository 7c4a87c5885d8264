import Geofencing

/// The body of a 200 to `/v1/fences/nearest`.
public struct NearestAnswer: Hashable, Sendable, Codable {
    public var syncID: WireID
    public var serverTime: WireTime
    public var anchor: WireCoordinate
    public var refreshAfterMeters: Double
    public var refreshAfterSeconds: Double
    /// Nil (null on the wire): all fences are in the answer.
    public var coverageRadiusMeters: Double?
    public var truncated: Bool
    public var limit: Int
    public var fences: [WireFence]
    public var config: WireConfig

    public init(
        syncID: String, serverTime: WireTime, anchor: WireCoordinate, refreshAfterMeters: Double,
        refreshAfterSeconds: Double, coverageRadiusMeters: Double?, truncated: Bool, limit: Int,
        fences: [WireFence], config: WireConfig
    ) {
        self.syncID = WireID(syncID)
        self.serverTime = serverTime
        self.anchor = anchor
        self.refreshAfterMeters = refreshAfterMeters
        self.refreshAfterSeconds = refreshAfterSeconds
        self.coverageRadiusMeters = coverageRadiusMeters
        self.truncated = truncated
        self.limit = limit
        self.fences = fences
        self.config = config
    }

    enum CodingKeys: String, CodingKey {
        case anchor, truncated, limit, fences, config
        case syncID = "sync_id"
        case serverTime = "server_time"
        case refreshAfterMeters = "refresh_after_m"
        case refreshAfterSeconds = "refresh_after_s"
        case coverageRadiusMeters = "coverage_radius_m"
    }

    /// The answer as the domain knows it; `document` is the body that it was read from.
    public func fenceAnswer(
        document: [UInt8], entityTag: String?
    ) throws(WireError) -> FenceAnswer {
        var list: [Fence] = []
        for (index, fence) in fences.enumerated() {
            list.append(try fence.fence(at: "/fences/\(index)"))
        }
        return FenceAnswer(
            coverage: FenceCoverage(
                syncID: syncID.text, refreshAfterMeters: refreshAfterMeters,
                refreshAfterSeconds: refreshAfterSeconds,
                coverageRadiusMeters: coverageRadiusMeters),
            fences: list, configuration: config.remoteConfiguration, entityTag: entityTag,
            document: document)
    }
}

/// The body of `POST /v1/fences/nearest`, which keeps coordinates out of proxies' logs.
public struct NearestRequest: Hashable, Sendable, Codable {
    public var lat: Double
    public var lon: Double
    public var accuracyMeters: Double?
    public var limit: Int?
    public var pool: Int?

    public init(lat: Double, lon: Double, accuracyMeters: Double?, limit: Int?, pool: Int?) {
        self.lat = lat
        self.lon = lon
        self.accuracyMeters = accuracyMeters
        self.limit = limit
        self.pool = pool
    }

    enum CodingKeys: String, CodingKey {
        case lat, lon, limit, pool
        case accuracyMeters = "accuracy_m"
    }
}
