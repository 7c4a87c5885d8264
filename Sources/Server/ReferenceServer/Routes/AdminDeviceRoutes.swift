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
        guard
            try call.store.eraseDevice(
                call.parameter("id"), of: call.workspace, now: call.now)
        else { throw missing(call) }
        return Response(status: 204)
    }

    /// Everything that is kept of the device, as one document.
    private static func export(_ call: Call) throws -> Response {
        let device = try existing(call)
        var filter = EventFilter()
        filter.deviceID = device.id
        filter.limit = EventFilter.maximumLimit
        var events: [[UInt8]] = []
        while true {
            let page = try call.store.events(filter, of: call.workspace)
            events += page.map(AdminRecordRoutes.document)
            filter.cursor = page.last?.receipt
            if page.count < filter.limit { break }
        }
        var visits: [[UInt8]] = []
        var visitFilter = VisitFilter()
        visitFilter.deviceID = device.id
        visitFilter.limit = EventFilter.maximumLimit
        while true {
            let page = try call.store.visits(visitFilter, of: call.workspace)
            visits += page.map(AdminRecordRoutes.document)
            visitFilter.cursor = page.last?.receipt
            if page.count < visitFilter.limit { break }
        }
        return .object([
            ("device", .raw(AdminRecordRoutes.document(device))),
            ("events", .array(events)), ("visits", .array(visits)),
        ])
    }
}
