import Timekeeping
import WebServer
import WireFormat

/// Keys are issued, listed by prefix and last four characters, and revoked.
enum AdminKeyRoutes {
    static let all = [
        Route("/v1/admin/keys", ["GET": .admin(list), "POST": .secret(issue)]),
        Route("/v1/admin/keys/{id}", ["GET": .admin(get), "DELETE": .admin(revoke)]),
    ]

    private static func list(_ call: Call) throws -> Response {
        let keys = try call.store.keys(of: call.workspace)
        return .object([
            (
                "keys",
                .array(
                    keys.map { JSONObjectText.prefixing(members($0), to: Array("{}".utf8)) })
            )
        ])
    }

    private static func get(_ call: Call) throws -> Response {
        let id = Int64(call.parameter("id"))
        guard let key = try call.store.keys(of: call.workspace).first(where: { $0.id == id }) else {
            throw missing(call)
        }
        return .object(members(key))
    }

    private static func missing(_ call: Call) -> RequestProblem {
        RequestProblem(404, "not_found", "no key '\(call.parameter("id").prefix(40))'")
    }

    private struct Wish: Decodable {
        var scope: String
        var deviceID: WireID?
        var expiresAt: WireTime?

        private enum CodingKeys: String, CodingKey {
            case scope
            case deviceID = "device_id"
            case expiresAt = "expires_at"
        }
    }

    private static func issue(_ call: Call) throws -> Response {
        let wish = try call.decode(Wish.self)
        guard let scope = KeyScope(rawValue: wish.scope) else {
            throw RequestProblem.invalid(
                "/scope", "'\(wish.scope.prefix(40))' is not trial, live or admin")
        }
        if let device = wish.deviceID?.text, !Authentication.isDeviceID(device) {
            throw RequestProblem.invalid(
                "/device_id", "not 1 to 64 characters of A-Z a-z 0-9 . _ -")
        }
        if scope == .admin, wish.deviceID != nil {
            throw RequestProblem.invalid("/device_id", "an administrator's key has no device")
        }
        if let end = wish.expiresAt?.time, end <= call.now {
            throw RequestProblem.invalid("/expires_at", "\(end) is past")
        }
        let issued = try IssuedKey(
            scope, deviceID: wish.deviceID?.text, expiresAt: wish.expiresAt?.time)
        let record = try call.store.addKey(issued.draft, to: call.workspace, now: call.now)
        return .object([("key", .string(issued.text))] + members(record), status: 201)
    }

    private static func revoke(_ call: Call) throws -> Response {
        guard let id = Int64(call.parameter("id")),
            try call.store.revokeKey(id, of: call.workspace, now: call.now)
        else { throw missing(call) }
        return Response(status: 204)
    }

    private static func members(_ key: KeyRecord) -> [(name: String, value: JSONScalar)] {
        [
            ("id", .integer(key.id)), ("scope", .string(key.scope.rawValue)),
            ("prefix", .string(key.prefix)), ("last_four", .string(key.lastFour)),
            ("device_id", .optional(key.deviceID)),
            ("created_at", .string(key.createdAt.rfc3339)),
            ("expires_at", .optional(key.expiresAt?.rfc3339)),
            ("revoked_at", .optional(key.revokedAt?.rfc3339)),
        ]
    }
}
