import WebServer
import WireFormat

/// `/v1/fences?assigned=me`: the fences whose audience names the member, its device or a tag of it.
enum AssignedFencesRoute {
    static let all = [Route("/v1/fences", ["GET": .device(list)])]

    enum Assignment: String, CaseIterable {
        case me
    }

    private static func list(_ call: Call) throws -> Response {
        guard try call.choice("assigned", of: Assignment.self) != nil else {
            throw RequestProblem.invalid("/assigned", "missing; only me is there")
        }
        let limit = try call.integer("limit", in: 1...EventFilter.maximumLimit) ?? 100
        let isTrialOver =
            try call.store.workspace(call.workspace)?.isExpired(at: call.now) ?? true
        let fences =
            isTrialOver
            ? []
            : try call.store.fences(
                assignedTo: call.member, of: call.workspace,
                after: call.request.queryValue("cursor"), limit: limit, now: call.now)
        return .object([
            ("fences", .array(try fences.map(document))),
            ("next", .optional(fences.count == limit ? fences.last?.id : nil)),
        ])
    }

    private static func document(_ fence: StoredFence) throws -> [UInt8] {
        let wire = try WireCoding.decode(WireFence.self, from: fence.document)
        return JSONObjectText.prefixing(
            [("id", .string(fence.id)), ("name", .string(wire.name ?? fence.id))],
            to: Array("{}".utf8))
    }
}
