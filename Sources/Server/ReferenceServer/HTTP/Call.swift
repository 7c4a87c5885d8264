import Compression
import Timekeeping
import WebServer
import WireFormat

/// One request on its way through a route: who asks, what for, and when.
struct Call: Sendable {
    /// Bytes of a body, after inflation too.
    static let bodyLimit = 1_048_576

    let request: Request
    /// Decoded once.
    let query: [(name: String, value: String)]
    let parameters: [String: String]
    let store: any ServerStore
    let metrics: ServerMetrics
    let configurations: ConfigurationCache
    let register: DeviceRegister
    let now: UTCTime
    /// Of the store, when the request came; nil on open routes. What is read at it may lack what the
    /// request itself has written.
    let commit: Int?
    /// 0 on open routes.
    let workspace: Int64
    /// Empty on routes that are not a device's.
    let deviceID: String

    /// Whom the fences of an answer have to be for.
    var member: FenceAudienceMember { FenceAudienceMember(deviceID: deviceID, userID: userID) }

    func parameter(_ name: String) -> String { parameters[name] ?? "" }

    /// The member on whose behalf the device speaks; nil: not said.
    let userID: String?

    /// What every request tells about its device.
    var deviceReport: DeviceReport {
        DeviceReport(
            userID: userID, agent: request.headers["User-Agent"].map { String($0.prefix(200)) })
    }

    /// The body as JSON: checked for type, coding, size, grammar, depth and finite numbers.
    func document() throws(RequestProblem) -> JSONDocument {
        try checkContentType()
        let bytes = try inflated()
        do {
            return try JSONDocument(bytes)
        } catch {
            let place = "line \(error.line), column \(error.column): \(error.detail)"
            throw RequestProblem(
                400, "malformed_json", place,
                errors: [.init(pointer: "", code: "malformed_json", detail: place)])
        }
    }

    /// The body as a value of the wire.
    func decode<Value: Decodable>(_ type: Value.Type) throws(RequestProblem) -> Value {
        let document = try document()
        do {
            return try WireCoding.decode(type, from: document.bytes)
        } catch {
            throw RequestProblem(error)
        }
    }

    private func checkContentType() throws(RequestProblem) {
        let type = request.headers["Content-Type"] ?? ""
        let essence = type.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        guard essence == "application/json" || essence == "application/geo+json" else {
            throw RequestProblem(
                415, "unsupported_media_type",
                "Content-Type is '\(type.prefix(80))', not application/json")
        }
    }

    /// The body without its transport coding.
    func inflated() throws(RequestProblem) -> [UInt8] {
        switch request.headers["Content-Encoding"]?.lowercased() {
        case nil, "identity": return request.body
        case "gzip", "x-gzip": break
        case let other?:
            throw RequestProblem(
                415, "unsupported_encoding", "Content-Encoding is '\(other.prefix(40))', not gzip",
                headers: ["Accept-Encoding": "gzip"])
        }
        do {
            return try Gzip.decompress(request.body, limit: Self.bodyLimit)
        } catch {
            if case .tooLarge = error {
                throw .bodyTooLarge(
                    "the body inflates to more than \(Self.bodyLimit) bytes", of: request)
            }
            throw RequestProblem(400, "damaged_gzip", "the body is \(error)")
        }
    }
}
