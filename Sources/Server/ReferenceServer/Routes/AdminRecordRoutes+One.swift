import WebServer

/// One record by the id that a device gave it.
extension AdminRecordRoutes {
    static func event(_ call: Call) throws -> Response {
        let id = call.parameter("id")
        guard let event = try call.store.event(id, of: call.workspace) else {
            throw RequestProblem(404, "not_found", "no event '\(id.prefix(128))'")
        }
        return .json(document(event))
    }

    static func visit(_ call: Call) throws -> Response {
        let id = call.parameter("id")
        guard let visit = try call.store.visit(id, of: call.workspace) else {
            throw RequestProblem(404, "not_found", "no visit '\(id.prefix(128))'")
        }
        return .json(document(visit))
    }
}
