import Delivery
import Timekeeping
import WebServer
import WireFormat

/// What devices did, for those who look: events, visits, devices, usage.
enum AdminRecordRoutes {
    static let all = [
        Route("/v1/admin/events", ["GET": .admin(events)]),
        Route("/v1/admin/events/{id}", ["GET": .admin(event)]),
        Route("/v1/admin/events.csv", ["GET": .admin(table)]),
        Route("/v1/admin/visits", ["GET": .admin(visits)]),
        Route("/v1/admin/visits/{id}", ["GET": .admin(visit)]),
        Route("/v1/admin/devices", ["GET": .admin(devices)]),
        Route("/v1/admin/usage", ["GET": .admin(usage)]),
    ]

    enum Order: String, CaseIterable {
        case ascending = "asc"
        case descending = "desc"
    }

    /// Which events the query asks for; the page apart.
    private static func filter(_ call: Call) throws(RequestProblem) -> EventFilter {
        var filter = EventFilter()
        filter.deviceID = call.request.queryValue("device_id")
        filter.fenceID = call.request.queryValue("fence_id")
        filter.visitID = call.request.queryValue("visit_id")
        filter.queueEpoch = call.request.queryValue("queue_epoch")
        filter.kind = try call.choice("type", of: EventKind.self)
        filter.since = try call.time("since")
        filter.until = try call.time("until")
        filter.isDescending = try call.choice("order", of: Order.self) == .descending
        return filter
    }

    /// All of them as a table, however many.
    private static func table(_ call: Call) throws -> Response {
        var response = Response(status: 200, headers: ["Content-Type": "text/csv; charset=utf-8"])
        response.stream = EventTable.stream(
            try filter(call), of: call.workspace, from: call.store)
        return response
    }

    private static func events(_ call: Call) throws -> Response {
        var filter = try filter(call)
        let limit = try limit(call)
        let page = try BoundedScan().page(of: limit, from: cursor(call), receipt: \.receipt) {
            filter.cursor = $0
            filter.limit = $1
            return try call.store.eventPiece(filter, of: call.workspace)
        }
        return .object([
            ("events", .array(page.records.map(document))), ("next", next(page.next)),
        ])
    }

    /// The event as it came, after what the server knows of it: times that the device did not know
    /// are filled in.
    static func document(_ event: StoredEvent) -> [UInt8] {
        var known: [(name: String, value: JSONScalar)] = [
            ("receipt", .integer(event.receipt)), ("device_id", .string(event.deviceID)),
            ("batch_id", .string(event.batchID)),
            ("received_at", .string(event.receivedAt.rfc3339)),
            ("epoch_ordinal", .integer(Int64(event.epochOrdinal))),
            ("time_source", .string(timeSource(event))),
            ("time_flag", .optional(event.timeFlag?.rawValue)),
            ("server_notification_verdict", .string(event.verdict)),
        ]
        if event.cameWithoutOccurrence {
            known.append(("occurred_at", .optional(event.occurredAt?.rfc3339)))
        }
        if event.cameWithoutDetection {
            known.append(("detected_at", .optional(event.detectedAt?.rfc3339)))
        }
        return JSONObjectText.prefixing(known, to: event.document)
    }

    private static func timeSource(_ event: StoredEvent) -> String {
        guard event.occurredAt != nil else { return "none" }
        return event.cameWithoutOccurrence ? "anchor" : "device"
    }

    private static func visits(_ call: Call) throws -> Response {
        var filter = VisitFilter()
        filter.deviceID = call.request.queryValue("device_id")
        filter.fenceID = call.request.queryValue("fence_id")
        filter.state = try call.choice("state", of: StoredVisit.State.self)
        let limit = try limit(call)
        let page = try BoundedScan().page(of: limit, from: cursor(call), receipt: \.receipt) {
            filter.cursor = $0
            filter.limit = $1
            return try call.store.visitPiece(filter, of: call.workspace)
        }
        return .object([
            ("visits", .array(page.records.map(document))), ("next", next(page.next)),
        ])
    }

    static func document(_ visit: StoredVisit) -> [UInt8] {
        JSONObjectText.prefixing(
            [
                ("visit_id", .string(visit.id)), ("device_id", .string(visit.deviceID)),
                ("fence_id", .optional(visit.fenceID)), ("state", .string(visit.state.rawValue)),
                ("started_at", .optional(visit.startedAt?.rfc3339)),
                ("ended_at", .optional(visit.endedAt?.rfc3339)),
                ("duration_s", visit.durationSeconds.map { .number($0) } ?? .null),
                ("inferred", .bool(visit.isInferred)), ("end_reason", .optional(visit.endReason)),
                ("receipt", .integer(visit.receipt)),
            ], to: Array("{}".utf8))
    }

    /// The alarms that devices can be searched for.
    enum SearchedAlarm: String, CaseIterable {
        case interleavedEpochs = "interleaved_epochs"
    }

    private static func devices(_ call: Call) throws -> Response {
        let limit = try limit(call)
        var filter = DeviceFilter()
        filter.insideFence = call.request.queryValue("inside")
        if let alarm = try call.choice("alarm", of: SearchedAlarm.self) {
            filter.isInterleaved = alarm == .interleavedEpochs
        }
        let devices = try call.store.devices(
            filter, of: call.workspace, after: call.request.queryValue("cursor"), limit: limit)
        return .object([
            ("devices", .array(devices.map(document))),
            ("next", .optional(devices.count == limit ? devices.last?.id : nil)),
        ])
    }

    static func document(_ device: StoredDevice) -> [UInt8] {
        let epochs = device.epochs.map { epoch in
            JSONObjectText.prefixing(
                [
                    ("queue_epoch", .string(epoch.epoch)),
                    ("first_seen_at", .string(epoch.firstSeenAt.rfc3339)),
                    ("events", .integer(epoch.events)),
                    ("first_seq", .integer(epoch.firstSequence)),
                    ("last_seq", .integer(epoch.lastSequence)),
                    ("missing", .integer(epoch.missing)),
                    ("conflicts", .integer(epoch.conflicts)),
                    ("interleaved_since", .optional(epoch.interleavedSince?.rfc3339)),
                ], to: Array("{}".utf8))
        }
        return JSONObjectText.prefixing(
            [
                ("device_id", .string(device.id)), ("user_id", .optional(device.userID)),
                ("agent", .optional(device.agent)),
                ("first_seen_at", .string(device.firstSeenAt.rfc3339)),
                ("last_seen_at", .string(device.lastSeenAt.rfc3339)),
                ("pending", device.pending.map { .integer($0) } ?? .null),
                ("dead", device.dead.map { .integer($0) } ?? .null),
                ("tags", .strings(device.tags)), ("inside", .strings(device.insideFences)),
                ("alarms", .strings(device.alarms.map(\.rawValue))),
                ("epochs", .array(epochs)),
                ("heartbeat_at", .optional(device.heartbeatAt?.rfc3339)),
                ("heartbeat", device.heartbeat.map { .raw($0) } ?? .null),
            ], to: Array("{}".utf8))
    }

    private static func usage(_ call: Call) throws -> Response {
        guard let workspace = try call.store.workspace(call.workspace) else {
            throw RequestProblem(404, "not_found", "the workspace is gone")
        }
        let usage = try call.store.usage(of: call.workspace, now: call.now)
        func row(_ used: Int, of limit: Int?) -> JSONScalar {
            .raw(
                JSONObjectText.prefixing(
                    [
                        ("used", .integer(Int64(used))),
                        ("limit", limit.map { .integer(Int64($0)) } ?? .null),
                    ], to: Array("{}".utf8)))
        }
        return .object([
            ("workspace", .string(workspace.name)), ("plan", .string(workspace.plan.rawValue)),
            ("trial_ends_at", .optional(workspace.trialEndsAt?.rfc3339)),
            ("fences", row(usage.fences, of: workspace.limits.fences)),
            ("keys", row(usage.keys, of: workspace.limits.keys)),
            ("devices", row(usage.devices, of: workspace.limits.devices)),
            ("events_this_month", row(usage.eventsThisMonth, of: workspace.limits.eventsPerMonth)),
        ])
    }

    private static func limit(_ call: Call) throws -> Int {
        try call.integer("limit", in: 1...EventFilter.maximumLimit) ?? 100
    }

    private static func cursor(_ call: Call) throws -> Int64? {
        try call.integer("cursor", in: 0...Int.max).map(Int64.init)
    }

    /// What `cursor` of the next page is; null: this was the last.
    private static func next(_ cursor: Int64?) -> JSONScalar {
        .optional(cursor.map { String($0) })
    }
}
