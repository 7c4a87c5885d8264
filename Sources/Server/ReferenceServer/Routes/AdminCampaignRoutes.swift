import Geofencing
import WebServer
import WireFormat

/// What is said at fences: campaigns, each carried by any number of them.
enum AdminCampaignRoutes {
    static let all = [
        Route("/v1/admin/campaigns", ["GET": .admin(list), "POST": .admin(create)]),
        Route(
            "/v1/admin/campaigns/{id}",
            ["GET": .admin(get), "PUT": .admin(put), "DELETE": .admin(delete)]),
    ]

    private static func list(_ call: Call) throws -> Response {
        let limit = try call.integer("limit", in: 1...EventFilter.maximumLimit) ?? 100
        let campaigns = try call.store.campaigns(
            of: call.workspace, after: call.request.queryValue("cursor"), limit: limit)
        return .object([
            ("campaigns", .array(campaigns.map(document))),
            ("next", .optional(campaigns.count == limit ? campaigns.last?.id : nil)),
        ])
    }

    private static func get(_ call: Call) throws -> Response {
        let id = call.parameter("id")
        guard let campaign = try call.store.campaign(id, of: call.workspace) else {
            throw RequestProblem(404, "not_found", "no campaign '\(id.prefix(128))'")
        }
        return .json(document(campaign))
    }

    private static func document(_ campaign: StoredCampaign) -> [UInt8] {
        JSONObjectText.prefixing(
            [("fence_ids", .strings(campaign.fenceIDs))], to: campaign.document)
    }

    /// A campaign without an id gets one.
    private static func create(_ call: Call) throws -> Response {
        let draft = try read(call, id: nil)
        return try store(draft, mustBeNew: true, call)
    }

    private static func put(_ call: Call) throws -> Response {
        try store(try read(call, id: call.parameter("id")), mustBeNew: false, call)
    }

    /// `id` is the path's; nil: there is none.
    private static func read(_ call: Call, id: String?) throws -> CampaignDraft {
        let root = try call.document().root
        if let id, let given = root.member("id"), given.kind != .null,
            (try? WireCoding.decode(WireID.self, from: given.text)).map({ ExactText($0.text) })
                != ExactText(id)
        {
            throw RequestProblem.invalid("/id", "another id than the path's")
        }
        let fenceIDs = try root.member("fence_ids").flatMap(fenceIDs)
        let outcome = CampaignReading.read(
            root, id: id ?? "c_" + ReferenceServer.makeID(), extraNames: ["fence_ids"])
        switch outcome {
        case .campaign(let wire): return CampaignDraft(wire, fenceIDs: fenceIDs)
        case .defects(let defects): throw RequestProblem(defects: defects)
        }
    }

    /// Nil where null.
    private static func fenceIDs(_ node: JSONNode) throws(RequestProblem) -> [String]? {
        if node.kind == .null { return nil }
        guard node.kind == .array else { throw .invalid("/fence_ids", "not a list of ids") }
        let elements = node.elements
        guard elements.count <= CampaignDraft.fenceLimit else {
            throw .invalid(
                "/fence_ids", "\(elements.count) fences, at most \(CampaignDraft.fenceLimit)")
        }
        var ids: [String] = []
        for (index, element) in elements.enumerated() {
            guard let id = try? WireCoding.decode(WireID.self, from: element.text) else {
                throw .invalid("/fence_ids/\(index)", "not an id")
            }
            ids.append(id.text)
        }
        return ids
    }

    private static func store(
        _ draft: CampaignDraft, mustBeNew: Bool, _ call: Call
    ) throws -> Response {
        let (campaign, isNew) = try call.store.putCampaign(
            draft, mustBeNew: mustBeNew, in: call.workspace, now: call.now)
        return .object(
            [
                ("campaign", .raw(document(campaign))),
                ("warnings", .array(try warnings(draft, campaign.fenceIDs, call))),
            ], status: isNew ? 201 : 200)
    }

    /// Fences that never tell what the campaign waits for.
    private static func warnings(
        _ draft: CampaignDraft, _ fenceIDs: [String], _ call: Call
    ) throws -> [[UInt8]] {
        var warnings: [[UInt8]] = []
        for id in fenceIDs {
            guard let fence = try call.store.fence(id, of: call.workspace) else { continue }
            let wire = try WireCoding.decode(WireFence.self, from: fence.document)
            if let warning = FenceReading.Warning(unreported: draft.wire, at: wire) {
                warnings.append(warning.document)
            }
        }
        return warnings
    }

    private static func delete(_ call: Call) throws -> Response {
        let id = call.parameter("id")
        guard try call.store.deleteCampaign(id, of: call.workspace) else {
            throw RequestProblem(404, "not_found", "no campaign '\(id.prefix(128))'")
        }
        return Response(status: 204)
    }
}
