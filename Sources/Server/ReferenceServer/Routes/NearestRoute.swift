import Cryptography
import Geodesy
import Timekeeping
import WebServer
import WireFormat

/// `/v1/fences/nearest`: the fences near a place, and how far the answer holds.
enum NearestRoute {
    static let all = [
        Route(
            "/v1/fences/nearest",
            [
                "GET": .device { call in try answer(call, Question(query: call)) },
                "POST": .device(in: .reads) { call in try answer(call, Question(body: call)) },
            ])
    ]

    /// Bytes of an answer; the pool is shortened to it, and the radius with it.
    static let answerLimit = 524_288
    /// Metres that an agent needs to ask in time: never asked for less, nor nearer to the radius.
    static let leastRefreshMeters = 50.0
    static let refreshReserveMeters = 120.0

    private static func answer(_ call: Call, _ question: Question) throws -> Response {
        let settings = try DeviceConfiguration(call, at: call.commit)
        let limit = min(question.limit, settings.fenceLimit)
        // A device that must not monitor gets nothing, and has no coverage to lose.
        let nearest =
            limit > 0
            ? try call.store.nearest(
                question.position, pool: question.pool, for: call.member, in: call.workspace,
                now: call.now, at: call.commit)
            : NearestFences(fences: [], nextDistanceMeters: nil)
        let selection = NearestSelection(nearest, byteLimit: answerLimit)
        var refresh = settings.refreshAfterMeters
        if let radius = selection.coverageRadiusMeters {
            refresh = max(leastRefreshMeters, min(refresh, radius - refreshReserveMeters))
        }
        let syncID = ReferenceServer.makeID()
        let tag = try entityTag(selection, settings, limit: limit)
        if matches(call.request.headers["If-None-Match"], tag) {
            return notModified(selection, settings, refresh: refresh, syncID: syncID, tag: tag)
        }
        return .object(
            [
                ("sync_id", .string(syncID)), ("server_time", .string(call.now.rfc3339)),
                ("anchor", anchor(question.position)), ("refresh_after_m", .number(refresh)),
                ("refresh_after_s", .number(settings.refreshAfterSeconds)),
                ("coverage_radius_m", selection.coverageRadiusMeters.map { .number($0) } ?? .null),
                ("truncated", .bool(selection.coverageRadiusMeters != nil)),
                ("limit", .integer(Int64(limit))), ("fences", .raw(selection.array)),
                ("config", .raw(settings.document)),
            ], headers: ["ETag": tag])
    }

    private static func anchor(_ position: Coordinate) -> JSONScalar {
        .raw(
            JSONObjectText.prefixing(
                [("lat", .number(position.latitude)), ("lon", .number(position.longitude))],
                to: Array("{}".utf8)))
    }

    /// Covers what the device would keep: the fences in the answer, in an order that moving the
    /// anchor among the same fences does not change, and the configuration. A fence's tag stands for
    /// all of its document, which holds id and version.
    private static func entityTag(
        _ selection: NearestSelection, _ settings: DeviceConfiguration, limit: Int
    ) throws -> String {
        var content: [UInt8] = []
        content.reserveCapacity(8 * selection.tags.count + settings.digest.count + 8)
        for number in selection.tags.sorted() + [Int64(limit)] {
            withUnsafeBytes(of: number.bigEndian) { content.append(contentsOf: $0) }
        }
        content += settings.digest
        return "W/\"\(Hexadecimal.encode(try SHA256.digest(of: content).prefix(16)))\""
    }

    private static func matches(_ field: String?, _ tag: String) -> Bool {
        guard let field else { return false }
        return field.split(separator: ",").contains { part in
            let candidate = part.drop { $0 == " " }
            return candidate.hasPrefix(tag) || candidate.hasPrefix(tag.dropFirst(2))
        }
    }

    private static func notModified(
        _ selection: NearestSelection, _ settings: DeviceConfiguration, refresh: Double,
        syncID: String, tag: String
    ) -> Response {
        var headers: Headers = [
            "ETag": tag, "X-Sync-Id": syncID, "X-Refresh-After-M": String(refresh),
            "X-Refresh-After-S": String(settings.refreshAfterSeconds),
        ]
        // Absent as null is in a body: all fences are in the set.
        headers["X-Coverage-Radius-M"] = selection.coverageRadiusMeters.map { String($0) }
        return Response(status: 304, headers: headers)
    }

    /// What a device asks, from the query or from the body.
    private struct Question {
        var position: Coordinate
        var limit: Int
        var pool: Int

        static let limits = 1...100
        static let pools = 1...500

        init(query call: Call) throws(RequestProblem) {
            guard let lat = try call.number("lat", in: -90...90) else {
                throw .invalid("/lat", "missing")
            }
            guard let lon = try call.number("lon", in: -180...180) else {
                throw .invalid("/lon", "missing")
            }
            _ = try call.number("accuracy_m", in: 0...Double.greatestFiniteMagnitude)
            try self.init(
                lat: lat, lon: lon, limit: call.integer("limit", in: Self.limits),
                pool: call.integer("pool", in: Self.pools))
        }

        init(body call: Call) throws(RequestProblem) {
            let body = try call.decode(NearestRequest.self)
            if let limit = body.limit, !Self.limits.contains(limit) {
                throw .invalid("/limit", "\(limit) is not from 1 to 100")
            }
            if let pool = body.pool, !Self.pools.contains(pool) {
                throw .invalid("/pool", "\(pool) is not from 1 to 500")
            }
            if let accuracy = body.accuracyMeters, accuracy < 0 {
                throw .invalid("/accuracy_m", "\(accuracy) is negative")
            }
            try self.init(lat: body.lat, lon: body.lon, limit: body.limit, pool: body.pool)
        }

        private init(lat: Double, lon: Double, limit: Int?, pool: Int?) throws(RequestProblem) {
            guard let position = Coordinate(latitude: lat, longitude: lon) else {
                let pointer = abs(lat) <= 90 ? "/lon" : "/lat"
                throw .invalid(pointer, "lat \(lat), lon \(lon) is not on Earth")
            }
            self.position = position
            self.limit = limit ?? 18
            self.pool = pool ?? 100
        }
    }
}
