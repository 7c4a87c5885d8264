import WebServer
import WireFormat

/// A device without a key gets one of its own for a single-use code.
enum ProvisionRoutes {
    static let all = [
        Route("/v1/admin/provision-codes", ["POST": .secret(issue)]),
        Route("/v1/provision", ["POST": .open(provision)]),
    ]

    private struct Wish: Decodable {
        var deviceID: WireID?

        private enum CodingKeys: String, CodingKey {
            case deviceID = "device_id"
        }
    }

    private static func issue(_ call: Call) throws -> Response {
        let wish = try call.decode(Wish.self)
        if let device = wish.deviceID?.text { try checkDevice(device) }
        let code = try ProvisionCode(deviceID: wish.deviceID?.text)
        try call.store.addProvisionCode(code, to: call.workspace, now: call.now)
        return .object(
            [
                ("code", .string(code.text)), ("device_id", .optional(code.deviceID)),
                ("expires_at", .string(ProvisionCode.end(issuedAt: call.now).rfc3339)),
            ], status: 201)
    }

    private struct Claim: Decodable {
        var code: String
        var deviceID: WireID

        private enum CodingKeys: String, CodingKey {
            case code
            case deviceID = "device_id"
        }
    }

    private static func provision(_ call: Call) throws -> Response {
        let claim = try call.decode(Claim.self)
        let device = claim.deviceID.text
        try checkDevice(device)
        let hash = try ProvisionCode.hash(of: claim.code)
        let issued: [KeyScope: IssuedKey] = [
            .trial: try IssuedKey(.trial, deviceID: device),
            .live: try IssuedKey(.live, deviceID: device),
        ]
        let drafts = issued.mapValues(\.draft)
        let outcome = try call.store.provision(
            hash, device: device,
            key: { scope in
                guard let draft = drafts[scope] else {
                    throw StoreError.failed("no key of scope \(scope.rawValue)")
                }
                return draft
            }, now: call.now)
        switch outcome {
        case .success(let record):
            return .object(
                [
                    ("key", .optional(issued[record.scope]?.text)),
                    ("device_id", .string(device)), ("scope", .string(record.scope.rawValue)),
                ], status: 201)
        case .failure(let refusal):
            throw RequestProblem(403, refusal.rawValue, details[refusal] ?? "refused")
        }
    }

    private static let details: [ProvisionRefusal: String] = [
        .unknown: "the code is not known here", .used: "the code was used already",
        .expired: "codes can be used for \(ProvisionCode.validHours) hours",
        .otherDevice: "the code is for another device",
    ]

    private static func checkDevice(_ id: String) throws(RequestProblem) {
        guard Authentication.isDeviceID(id) else {
            throw .invalid("/device_id", "not 1 to 64 characters of A-Z a-z 0-9 . _ -")
        }
    }
}
