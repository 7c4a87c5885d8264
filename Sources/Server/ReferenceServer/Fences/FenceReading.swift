import Geodesy
import Timekeeping
import WireFormat

/// Reads fences on their way in: checks everything, fills defaults, collects all defects.
struct FenceReading {
    let zones: any TimeZoneSource
    private(set) var drafts: [FenceDraft] = []
    private(set) var defects: [Problem.Defect] = []
    private(set) var warnings: [Warning] = []
    private var ids: Set<String> = []
    /// By id; fences of one request may carry the same campaign, but not two of one id.
    private var campaigns: [String: WireCampaign] = [:]

    /// Nil: not known; then nothing is past.
    private let now: UTCTime?

    init(zones: any TimeZoneSource, now: UTCTime? = nil) {
        self.zones = zones
        self.now = now
    }

    /// Says which members of a fence are none: a name that is misspelled must not look as if it had
    /// been set. Features of GeoJSON may have properties of others.
    mutating func checkNames(of fence: JSONNode) {
        for member in fence.members where !Self.names.contains(member.name) {
            add(JSONPointer.step(member.name), "unknown_name", "unknown") { $0 }
        }
    }

    static let names: Set<String> = [
        "id", "version", "created_at", "name", "type", "center", "radius_m", "geometry",
        "distance_m", "transitions", "dwell_s", "arrival", "exit_accuracy_cap_m", "initial_enter",
        "pass_as", "cooldown_hours", "timezone", "active_windows", "quiet_hours", "expires_at",
        "priority", "campaigns", "audience", "metadata", "enabled",
    ]

    /// Something that does not stop a fence.
    struct Warning: Hashable {
        var fenceID: String
        var code: String
        var detail: String
        /// Into the request; nil: it is about the fence as a whole.
        var pointer: String?

        /// As JSON.
        var document: [UInt8] {
            var members: [(name: String, value: JSONScalar)] = [
                ("fence_id", .string(fenceID)), ("code", .string(code)),
                ("detail", .string(detail)),
            ]
            if let pointer { members.append(("pointer", .string(pointer))) }
            return JSONObjectText.prefixing(members, to: Array("{}".utf8))
        }
    }

    /// Defects that are reported; one is enough to refuse.
    static let defectLimit = 100

    /// Reads one fence in wire form. `place` says where in the request a member of it stands.
    mutating func read(_ text: some Sequence<UInt8>, at place: (String) -> String) {
        guard defects.count < Self.defectLimit else { return }
        do {
            let wire = try WireCoding.decode(WireFence.self, from: text)
            try take(wire, campaigns: try Self.campaigns(of: wire, in: text), at: place)
        } catch let error as WireError {
            add(error.pointer, "invalid_value", error.placedDetail, at: place)
        } catch {
            add("", "invalid_value", "\(error)", at: place)
        }
    }

    /// Throws 422 where anything was wrong.
    func checked() throws(RequestProblem) -> [FenceDraft] {
        guard defects.isEmpty else { throw RequestProblem(defects: defects) }
        return drafts
    }

    private mutating func take(
        _ wire: WireFence, campaigns nodes: [JSONNode]?, at place: (String) -> String
    ) throws {
        let before = defects.count
        checkID(wire.id.text, at: place)
        for defect in FenceLimits.defects(of: wire) {
            add(defect.pointer, defect.code, defect.detail, at: place)
        }
        checkWindowNames(of: wire, at: place)
        if let zone = wire.timezone, TimeZoneName(zone).flatMap({ zones.rules(of: $0) }) == nil {
            add(
                "/timezone", "unknown_timezone",
                "'\(zone.prefix(64))' is not in the tz database of the server", at: place)
        }
        if !FenceGeometryCheck.fits(wire) {
            add("/geometry/type", "invalid_value", "does not fit type '\(wire.type)'", at: place)
        }
        for defect in FenceGeometryCheck.positionDefects(of: wire) {
            add(defect, of: wire.type, at: place)
        }
        let campaigns = nodes.map { read($0, at: place) }
        let audience = try FenceAudience(wire.audience)
        guard defects.count == before else { return }
        let shape = try preparedShape(of: wire, at: place)
        guard let shape, defects.count == before else { return }
        let complete = Self.completed(wire, shape: shape)
        warn(about: complete)
        warnings += (campaigns ?? []).compactMap { Warning(unreported: $0, at: complete) }
        drafts.append(
            FenceDraft(
                id: wire.id.text, shape: shape, expiresAt: wire.expiresAt?.time,
                wire: FenceWireForm(complete),
                campaigns: campaigns?.map { CampaignDraft($0, fenceIDs: nil) },
                audience: audience))
    }

    /// Nil: the fence does not say which campaigns it carries.
    private static func campaigns(
        of wire: WireFence, in text: some Sequence<UInt8>
    ) throws(WireError) -> [JSONNode]? {
        guard let campaigns = wire.campaigns, !campaigns.isEmpty else {
            return wire.campaigns.map { _ in [] }
        }
        do {
            // From the text: ids may be numbers that a Double cannot hold.
            return try JSONDocument(Array(text)).root.member("campaigns")?.elements
        } catch {
            throw WireError(pointer: "", detail: "not JSON: \(error)")
        }
    }

    private mutating func read(
        _ nodes: [JSONNode], at place: (String) -> String
    ) -> [WireCampaign] {
        var result: [WireCampaign] = []
        for (index, node) in nodes.enumerated() {
            let pointer = "/campaigns/\(index)"
            switch CampaignReading.read(node) {
            case .defects(let found):
                for defect in found {
                    add(pointer + defect.pointer, defect.code, defect.detail, at: place)
                }
            case .campaign(let campaign):
                let id = campaign.id.text
                if result.contains(where: { $0.id.text == id }) {
                    add("\(pointer)/id", "duplicate_id", "'\(id)' stands here twice", at: place)
                } else if let other = campaigns[id], other != campaign {
                    add(
                        "\(pointer)/id", "campaign_conflict",
                        "'\(id)' is another campaign at another fence of the request", at: place)
                } else {
                    campaigns[id] = campaign
                    result.append(campaign)
                }
            }
        }
        return result
    }

    /// A window whose `days` are misspelled would be one of all days.
    private mutating func checkWindowNames(of wire: WireFence, at place: (String) -> String) {
        let windows =
            (wire.activeWindows ?? []).enumerated().map { ("/active_windows/\($0)", $1) }
            + (wire.quietHours.map { [("/quiet_hours", $0)] } ?? [])
        for (pointer, window) in windows {
            guard case .object(let members) = window else { continue }
            for name in members.keys.sorted() where !WindowCheck.names.contains(name) {
                add(pointer + JSONPointer.step(name), "unknown_name", "unknown", at: place)
            }
        }
    }

    private mutating func checkID(_ id: String, at place: (String) -> String) {
        for defect in FenceCheck.idDefects(id) {
            add(defect.pointer, defect.code, defect.detail, at: place)
        }
        if !ids.insert(id).inserted {
            add("/id", "duplicate_id", "'\(id)' stands in the request twice", at: place)
        }
    }

    private mutating func preparedShape(
        of wire: WireFence, at place: (String) -> String
    ) throws -> PreparedShape? {
        let fence = try wire.fence()
        do {
            let shape = try PreparedShape(fence.shape)
            for defect in shape.defects { add(defect, of: wire.type, at: place) }
            return shape
        } catch let error {
            for defect in error.defects { add(defect, of: wire.type, at: place) }
            return nil
        }
    }

    /// What the server writes where the author left it out.
    private static func completed(_ wire: WireFence, shape: PreparedShape) -> WireFence {
        var wire = wire
        wire.dwellSeconds = wire.dwellSeconds ?? FenceLimits.defaultDwellSeconds
        switch wire.type {
        case .circle: wire.geometry = nil
        case .polygon, .multipolygon:
            let circle = shape.enclosingCircle
            wire.center = WireCoordinate(circle.center)
            wire.radiusMeters = circle.radiusMeters
        }
        return wire
    }

    private mutating func warn(about wire: WireFence) {
        if let dwell = wire.dwellSeconds, dwell < FenceLimits.shortDwellSeconds {
            warnings.append(
                Warning(
                    fenceID: wire.id.text, code: "short_dwell",
                    detail: "dwell_s \(dwell) counts people who drive by; 120 or more does not"))
        }
        if wire.transitions?.isEmpty == true {
            warnings.append(
                Warning(
                    fenceID: wire.id.text, code: "no_transitions",
                    detail: "transitions is empty: the fence reports nothing"))
        }
        if let end = wire.expiresAt?.time, let now, end <= now {
            warnings.append(
                Warning(
                    fenceID: wire.id.text, code: "expired",
                    detail: "it expired at \(end.rfc3339): no device gets it"))
        }
        if let radius = wire.radiusMeters, radius < FenceLimits.smallRadiusMeters {
            warnings.append(
                Warning(
                    fenceID: wire.id.text, code: "small_radius",
                    detail: "a radius of \(radius) m is below 100 m: arrivals may be missed"))
        }
    }

    private mutating func add(
        _ defect: ShapeDefect, of type: WireFence.Kind, at place: (String) -> String
    ) {
        guard defects.count < Self.defectLimit else { return }
        defects.append(
            Problem.Defect(
                pointer: place(FenceGeometryCheck.pointer(of: defect, type)),
                code: defect.code.rawValue, detail: defect.description, lat: defect.latitude,
                lon: defect.longitude))
    }

    private mutating func add(
        _ pointer: String, _ code: String, _ detail: String,
        at place: (String) -> String
    ) {
        guard defects.count < Self.defectLimit else { return }
        defects.append(Problem.Defect(pointer: place(pointer), code: code, detail: detail))
    }
}
