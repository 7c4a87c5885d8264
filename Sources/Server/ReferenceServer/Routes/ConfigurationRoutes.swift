import WebServer
import WireFormat

/// `/v1/config` for devices, `/v1/admin/config` for those who set it.
enum ConfigurationRoutes {
    static let all = [
        Route("/v1/config", ["GET": .device(get)]),
        Route("/v1/admin/config", ["GET": .admin(get), "PUT": .admin(put)]),
    ]

    private static func get(_ call: Call) throws -> Response {
        .json(try DeviceConfiguration(call).document)
    }

    /// Replaces everything that was set; what is left out has its default again.
    private static func put(_ call: Call) throws -> Response {
        let document = try call.document()
        try checkNames(document.root)
        var config: WireConfig
        do {
            config = try WireCoding.decode(WireConfig.self, from: document.bytes)
        } catch {
            throw RequestProblem(error)
        }
        try check(config)
        config.revision = nil
        _ = try call.store.putConfiguration(WireCoding.encode(config), of: call.workspace)
        return try get(call)
    }

    /// A name that is misspelled must not look as if it had been set.
    private static func checkNames(_ root: JSONNode) throws(RequestProblem) {
        guard root.kind == .object else { throw .invalid("", "not an object") }
        let known: Set<String> = [
            "revision", "fence_limit", "refresh_after_m", "refresh_after_s", "cooldown_hours",
            "quiet_hours", "upload", "accuracy", "dwell_gap_max_s", "visit_gap_max_s", "pass_as",
        ]
        try checkNames(of: root, known, "")
        for (name, known) in nested {
            if let node = root.member(name) { try checkNames(of: node, known, "/\(name)") }
        }
    }

    private static let nested: [(String, Set<String>)] = [
        ("upload", ["max_batch", "interval_s", "backoff_cap_s"]),
        ("accuracy", ["arrive_max_m", "depart_max_m"]),
        ("quiet_hours", WindowCheck.names),
    ]

    private static func checkNames(
        of node: JSONNode, _ known: Set<String>, _ pointer: String
    ) throws(RequestProblem) {
        for member in node.members where !known.contains(member.name) {
            throw .invalid(
                pointer + JSONPointer.step(member.name), "unknown", code: "unknown_name")
        }
    }

    private static func check(_ config: WireConfig) throws(RequestProblem) {
        try check(config.fenceLimit.map(Double.init), 0...18, "/fence_limit")
        try check(config.refreshAfterMeters, 50...100_000, "/refresh_after_m")
        try check(config.refreshAfterSeconds, 60...604_800, "/refresh_after_s")
        try check(config.cooldownHours, 0...8_760, "/cooldown_hours")
        try check(config.upload?.maxBatch.map(Double.init), 1...500, "/upload/max_batch")
        try check(config.upload?.intervalSeconds, 1...86_400, "/upload/interval_s")
        try check(config.upload?.backoffCapSeconds, 60...900, "/upload/backoff_cap_s")
        try check(config.accuracy?.arriveMaxMeters, 1...1_000, "/accuracy/arrive_max_m")
        try check(config.accuracy?.departMaxMeters, 1...1_000, "/accuracy/depart_max_m")
        try check(config.dwellGapMaxSeconds, 0...86_400, "/dwell_gap_max_s")
        try check(config.visitGapMaxSeconds, 0...604_800, "/visit_gap_max_s")
        let quiet = config.quietHours.map { WindowCheck.defects(of: $0, at: "/quiet_hours") } ?? []
        if let defect = quiet.first {
            throw .invalid(defect.pointer, defect.detail, code: defect.code)
        }
    }

    private static func check(
        _ value: Double?, _ range: ClosedRange<Double>, _ pointer: String
    ) throws(RequestProblem) {
        guard let value, !range.contains(value) else { return }
        throw .invalid(
            pointer, "\(value) is not from \(range.lowerBound) to \(range.upperBound)",
            code: "out_of_range")
    }
}
