import WebServer
import WireFormat

/// Fences are listed, written one by one in wire form, or all at once as GeoJSON.
enum AdminFenceRoutes {
    static let all = [
        Route("/v1/admin/fences", ["GET": .admin(list), "POST": .admin(create)]),
        Route(
            "/v1/admin/fences.geojson",
            [
                "GET": .admin(export),
                "PUT": .admin { try importCollection($0, replacingAll: true) },
                "POST": .admin { try importCollection($0, replacingAll: false) },
            ]),
        Route(
            "/v1/admin/fences/{id}",
            ["GET": .admin(get), "PUT": .admin(put), "DELETE": .admin(delete)]),
    ]

    /// What a body beyond the limit can do instead, where it would be a collection of fences; nil: it
    /// is for another route.
    static func wayForLargeCollections(_ request: Request) -> String? {
        guard request.pathSegments == ["v1", "admin", "fences.geojson"] else { return nil }
        return
            "POST smaller collections, one after the other, or run 'geofence-server import FILE', "
            + "which takes 256 MiB, beside the running server"
    }

    private static func list(_ call: Call) throws -> Response {
        let limit = try call.integer("limit", in: 1...EventFilter.maximumLimit) ?? 100
        let fences = try call.store.fences(
            of: call.workspace, after: call.request.queryValue("cursor"), limit: limit)
        return .object([
            ("fences", .array(fences.map(\.document))),
            ("next", .optional(fences.count == limit ? fences.last?.id : nil)),
        ])
    }

    private static func get(_ call: Call) throws -> Response {
        .json(try existing(call).document)
    }

    private static func existing(_ call: Call) throws -> StoredFence {
        let id = call.parameter("id")
        guard let fence = try call.store.fence(id, of: call.workspace) else {
            throw RequestProblem(404, "not_found", "no fence '\(id.prefix(128))'")
        }
        return fence
    }

    /// A fence without an id gets one.
    private static func create(_ call: Call) throws -> Response {
        let document = try call.document()
        let given = try Self.object(document).member("id")
        var text = document.root.text
        if given == nil {
            text = identified("f_" + ReferenceServer.makeID(), document)[...]
        }
        var reading = FenceReading(zones: call.store.zones, now: call.now)
        reading.checkNames(of: document.root)
        reading.read(text) { $0 }
        let drafts = try reading.checked()
        guard let id = drafts.first?.id else {
            throw RequestProblem(500, "internal", "the fence was not read")
        }
        if try call.store.fence(id, of: call.workspace) != nil {
            throw RequestProblem(409, "conflict", "fence '\(id)' is there already")
        }
        return try store(drafts, reading, call, status: 201)
    }

    private static func put(_ call: Call) throws -> Response {
        let document = try call.document()
        let id = call.parameter("id")
        var text = document.root.text
        if let given = try Self.object(document).member("id") {
            let read = try? WireCoding.decode(WireID.self, from: given.text)
            guard read.map({ ExactText($0.text) }) == ExactText(id) else {
                throw RequestProblem.invalid("/id", "another id than the path's")
            }
        } else {
            text = identified(id, document)[...]
        }
        let isNew = try call.store.fence(id, of: call.workspace) == nil
        var reading = FenceReading(zones: call.store.zones, now: call.now)
        reading.checkNames(of: document.root)
        reading.read(text) { $0 }
        return try store(reading.checked(), reading, call, status: isNew ? 201 : 200)
    }

    /// One fence is answered as it is now, with what was noticed about it.
    private static func store(
        _ drafts: [FenceDraft], _ reading: FenceReading, _ call: Call, status: Int
    ) throws -> Response {
        let changes = try call.store.putFences(
            drafts, replacingAll: false, in: call.workspace, now: call.now)
        guard let id = drafts.first?.id, let fence = try call.store.fence(id, of: call.workspace)
        else { throw RequestProblem(409, "conflict", "the fence was deleted meanwhile") }
        let warnings =
            reading.warnings
            + FenceSurroundings(store: call.store, workspace: call.workspace)
            .warnings(about: drafts, created: changes.created)
        return .object(
            [
                ("fence", .raw(fence.document)),
                ("warnings", .array(warnings.map(\.document))),
            ], status: status)
    }

    private static func delete(_ call: Call) throws -> Response {
        let id = call.parameter("id")
        guard try call.store.deleteFence(id, of: call.workspace) else {
            throw RequestProblem(404, "not_found", "no fence '\(id.prefix(128))'")
        }
        return Response(status: 204)
    }

    private static func export(_ call: Call) throws -> Response {
        var response = Response.json(
            try FenceImport.export(from: call.workspace, of: call.store))
        response.headers["Content-Type"] = "application/geo+json"
        return response
    }

    private static func importCollection(_ call: Call, replacingAll: Bool) throws -> Response {
        .json(
            try FenceImport.run(
                call.document(), replacingAll: replacingAll, into: call.workspace,
                of: call.store, now: call.now
            ).json)
    }

    private static func object(_ document: JSONDocument) throws(RequestProblem) -> JSONNode {
        guard document.root.kind == .object else { throw .invalid("", "not an object") }
        return document.root
    }

    private static func identified(_ id: String, _ document: JSONDocument) -> [UInt8] {
        let isEmpty = document.root.members.isEmpty
        return JSONObjectText.prefixing(
            [("id", .string(id))],
            to: isEmpty ? Array("{}".utf8) : Array(document.root.text))
    }
}
