import WebServer
import WireFormat

/// Why a request is refused, before it is dressed as `application/problem+json`.
struct RequestProblem: Error, Sendable {
    var status: Int
    /// Stable, for programs.
    var code: String
    var detail: String
    var errors: [Problem.Defect] = []
    var headers: Headers = [:]

    init(
        _ status: Int, _ code: String, _ detail: String, errors: [Problem.Defect] = [],
        headers: Headers = [:]
    ) {
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = errors
        self.headers = headers
    }

    /// One value of the request is wrong.
    static func invalid(
        _ pointer: String, _ detail: String, code: String = "invalid_value"
    ) -> RequestProblem {
        RequestProblem(
            422, code, pointer.isEmpty ? detail : "\(pointer): \(detail)",
            errors: [.init(pointer: pointer, code: code, detail: detail)])
    }

    /// 413, with the way that is open to what is larger.
    static func bodyTooLarge(_ detail: String, of request: Request) -> RequestProblem {
        let way = AdminFenceRoutes.wayForLargeCollections(request)
        return RequestProblem(413, "body_too_large", way.map { "\(detail); \($0)" } ?? detail)
    }

    init(_ error: WireError, below pointer: String = "") {
        self = .invalid(pointer + error.pointer, error.placedDetail)
    }

    /// Several values of the request are wrong; there is at least one.
    init(defects: [Problem.Defect]) {
        let rest = defects.count > 1 ? " (and \(defects.count - 1) more)" : ""
        let detail = defects.first.map { "\($0.pointer): \($0.detail)\(rest)" } ?? ""
        self.init(422, defects.first?.code ?? "invalid_value", detail, errors: defects)
    }

    init(_ error: StoreError) {
        switch error {
        case .busy:
            self.init(503, "busy", "\(error)", headers: ["Retry-After": "2"])
        case .limit(.fences): self.init(422, "fence_limit", "\(error)")
        case .limit(.keys): self.init(422, "key_limit", "\(error)")
        case .limit(.campaigns), .limit(.campaignsOfFence):
            self.init(422, "campaign_limit", "\(error)")
        case .limit(.bytesOfFence): self.init(422, "fence_too_large", "\(error)")
        case .unknownFence(let index):
            self = .invalid("/fence_ids/\(index)", "no such fence", code: "unknown_fence")
        case .limit(.devices): self.init(403, "device_limit", "\(error)")
        case .conflict: self.init(409, "conflict", "\(error)")
        // The reason names files and statements: it goes to the log, not to a client.
        case .failed:
            self.init(
                503, "store_failed", "the store does not work at present",
                headers: ["Retry-After": "30"])
        }
    }

    /// Whether the same request may succeed later; who says when, says that it may.
    var isRetryable: Bool {
        [408, 425, 429].contains(status) || status >= 500 || headers["Retry-After"] != nil
    }

    func response(instance: String, requestID: String) -> Response {
        let problem = Problem(
            title: Self.titles[status] ?? "Error", status: status, detail: detail,
            instance: instance, code: code, retryable: isRetryable, errors: errors,
            requestID: requestID)
        var headers = headers
        headers["Content-Type"] = "application/problem+json"
        // Encoding a few strings does not fail; an empty body still carries the status.
        return Response(
            status: status, headers: headers, body: (try? WireCoding.encode(problem)) ?? [])
    }

    private static let titles: [Int: String] = [
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 409: "Conflict", 413: "Content Too Large",
        414: "URI Too Long",
        415: "Unsupported Media Type", 422: "Unprocessable Content", 429: "Too Many Requests",
        431: "Request Header Fields Too Large",
        500: "Internal Server Error", 503: "Service Unavailable",
    ]
}
