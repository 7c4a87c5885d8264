import WebServer
import WireFormat

/// One device: how it is, what tags it has, everything that is kept of it, and that being erased.
enum AdminDeviceRoutes {
    static let all = [
        Route(
            "/v1/admin/devices/{id}",
            ["GET": .admin(get), "PUT": .admin(put), "DELETE": .admin(erase)]),
        Route("/v1/admin/devices/{id}/export", ["GET": .admin(export)]),
    ]

    static let tagLimit = 50

    private static func get(_ call: Call) throws -> Response {
        .json(AdminRecordRoutes.document(try existing(call)))
    }

    private static func existing(_ call: Call) throws -> StoredDevice {
        guard let device = try call.store.device(call.parameter("id"), of: call.workspace) else {
            throw missing(call)
        }
        return device
    }

    private static func missing(_ call: Call) -> RequestProblem {
        RequestProblem(404, "not_found", "no device '\(call.parameter("id").prefix(64))'")
    }

    private struct Change: Decodable {
        var tags: [String]
    }

    private static func put(_ call: Call) throws -> Response {
        let tags = try call.decode(Change.self).tags
        guard tags.count <= tagLimit else {
            throw RequestProblem.invalid("/tags", "\(tags.count) tags, at most \(tagLimit)")
        }
        for (index, tag) in tags.enumerated() where !FenceCheck.idDefects(tag).isEmpty {
            throw RequestProblem.invalid("/tags/\(index)", "not a text of 1 to 128 characters")
        }
        guard
            let device = try call.store.setTags(
                tags, of: call.parameter("id"), in: call.workspace)
        else { throw missing(call) }
        return .json(AdminRecordRoutes.document(device))
    }

    /// Events, visits and whatever else is kept of the device go, its own keys are revoked. What it
    /// has used of the month's events stays counted.
    private static func erase(_ call: Call) throws -> Response {
        let isErased = try call.store.eraseDevice(
            call.parameter("id"), of: call.workspace, now: call.now)
        call.register.forget(call.parameter("id"), of: call.workspace)
        guard isErased else { throw missing(call) }
        return Response(status: 204)
    }

    /// Everything that is kept of the device, as one document.
    private static func export(_ call: Call) throws -> Response {
        var response = Response(status: 200, headers: ["Content-Type": "application/json"])
        response.stream = DeviceExport.stream(
            try existing(call), of: call.workspace, from: call.store)
        return response
    }
}
