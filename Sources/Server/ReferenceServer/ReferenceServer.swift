import Compression
import Cryptography
import Timekeeping
import WebServer
import WireFormat

/// The reference server: everything between a request and its answer.
///
/// It keeps nothing beside its store but counts and what it made of the store's bytes, so any number of threads may ask it at once. `answer` needs no
/// socket: tests call it directly, `geofence-server` hands it to an `HTTPServer`.
public final class ReferenceServer: Sendable {
    private let store: any ServerStore
    private let timekeeper: any Timekeeper
    private let log: any LogSink
    private let authentication: Authentication
    private let routes: [Route]
    private let metrics = ServerMetrics()
    private let configurations = ConfigurationCache()
    private let idempotency: Idempotency
    private let register: DeviceRegister
    private let keyRate: RequestRate
    private let refusals = RequestRate(RequestLimits.refusals)
    private let limits: RequestLimits

    /// Answers shorter than this are not compressed.
    static let leastCompressedBytes = 1_024
    /// A client's clock that is off by more is told so, milliseconds.
    static let toleratedSkewMilliseconds: Int64 = 2_000

    public init(
        store: any ServerStore, timekeeper: any Timekeeper, log: any LogSink,
        limits: RequestLimits = RequestLimits()
    ) {
        self.store = store
        self.timekeeper = timekeeper
        self.log = log
        authentication = Authentication(store: store)
        routes = Self.allRoutes
        idempotency = Idempotency(store: store)
        register = DeviceRegister(store: store)
        keyRate = RequestRate(limits.keyRule)
        self.limits = limits
    }

    /// Everything that can be asked.
    static let allRoutes: [Route] = [
        HealthRoutes.all, NearestRoute.all, AssignedFencesRoute.all, EventRoutes.all,
        ProvisionRoutes.all, AdminDeviceRoutes.all, AdminFenceRoutes.all,
        AdminCampaignRoutes.all, AdminRecordRoutes.all, AdminKeyRoutes.all,
        ConfigurationRoutes.all,
    ].flatMap { $0 }

    /// Where a request is to wait. What is not there reads: it is answered at once.
    public func lane(of request: Request) -> WorkLane {
        let method = Self.method(of: request)
        guard let endpoint = find(request.pathSegments)?.0.endpoints[method] else {
            return .reads
        }
        return endpoint.lane(of: method)
    }

    private static func method(of request: Request) -> String {
        request.method == "HEAD" ? "GET" : request.method
    }

    /// The answer to one request. Blocks while the store works.
    public func answer(_ request: Request) -> Response {
        let now = timekeeper.wallClock.time
        let started = ContinuousClock.now
        let requestID = Self.makeID()
        var response: Response
        do {
            response = try route(request, now: now)
        } catch {
            response = problem(error, request).response(
                instance: request.path, requestID: requestID)
            slowDown(&response, error, request, now: now)
        }
        let taken = (ContinuousClock.now - started).components
        metrics.count(
            status: response.status,
            seconds: Double(taken.seconds) + Double(taken.attoseconds) * 1e-18)
        return finish(response, request, requestID: requestID, now: now)
    }

    /// The answer to a request that the web server did not let through.
    public func refuse(_ reason: Refusal, _ request: Request) -> Response {
        let problem =
            switch reason {
            case .bodyTooLarge(let limit):
                RequestProblem.bodyTooLarge(
                    "the body is longer than \(limit) bytes", of: request)
            case .targetTooLong(let limit):
                RequestProblem(
                    414, "target_too_long", "the request target is longer than \(limit) bytes")
            case .fieldsTooLarge(let limit):
                RequestProblem(
                    431, "fields_too_large", "the header fields are longer than \(limit) bytes")
            case .badHost:
                RequestProblem(400, "host_invalid", "the request needs one Host field")
            case .overloaded:
                RequestProblem(
                    503, "overloaded", "too many requests at once",
                    headers: ["Retry-After": "2"])
            }
        let requestID = Self.makeID()
        metrics.count(status: problem.status, seconds: 0)
        return finish(
            problem.response(instance: request.path, requestID: requestID), request,
            requestID: requestID, now: timekeeper.wallClock.time)
    }

    private func route(_ request: Request, now: UTCTime) throws -> Response {
        guard request.isText else {
            throw RequestProblem(400, "target_invalid", "the request target is not UTF-8")
        }
        let path = request.pathSegments
        guard let (route, parameters) = find(path) else {
            throw RequestProblem(404, "not_found", "there is no '\(request.path.prefix(200))'")
        }
        let method = Self.method(of: request)
        guard let endpoint = route.endpoints[method] else {
            throw RequestProblem(
                405, "method_not_allowed", "allowed: \(route.allowedMethods)",
                headers: ["Allow": route.allowedMethods])
        }
        var workspace: Int64 = 0
        var deviceID = ""
        var userID: String?
        var commit: Int?
        if endpoint.access != .open {
            let number = try store.commitNumber()
            commit = number
            let key = try authentication.key(
                of: request, for: endpoint.access, now: now, commit: number)
            if let wait = keyRate.take(String(key.id), at: now) {
                throw RequestProblem(
                    429, "rate_limited", "too many requests with this key",
                    headers: ["Retry-After": String(Int(wait.rounded(.up)))])
            }
            workspace = key.workspace
            if endpoint.access == .device {
                deviceID = try Authentication.deviceID(of: request, key: key)
                userID = try Authentication.userID(of: request)
            }
        }
        let call = Call(
            request: request, query: request.queryItems, parameters: parameters, store: store,
            metrics: metrics, configurations: configurations, register: register, now: now,
            commit: commit, workspace: workspace, deviceID: deviceID, userID: userID)
        // What a device sends notes it as well.
        if endpoint.access == .device, endpoint.lane(of: method) == .reads {
            try register.admit(deviceID, call.deviceReport, to: workspace, now: now)
        }
        guard endpoint.access == .admin, method == "POST",
            let key = request.headers["Idempotency-Key"]
        else { return try endpoint.run(call) }
        return try idempotency.run(call, key: key, isSecret: endpoint.isSecret) {
            try endpoint.run(call)
        }
    }

    /// Who guesses keys or codes is answered later and later, by address.
    private func slowDown(
        _ response: inout Response, _ error: any Error, _ request: Request, now: UTCTime
    ) {
        guard let problem = error as? RequestProblem,
            problem.status == 401 || problem.code == ProvisionRefusal.unknown.rawValue
        else { return }
        _ = refusals.take(request.peer, at: now)
        let count = refusals.missing(request.peer, at: now) - RequestLimits.promptRefusals
        response.delaySeconds = min(
            max(0, count) * RequestLimits.secondsPerRefusal, limits.longestRefusalSeconds)
    }

    private func find(_ path: [String]) -> (Route, [String: String])? {
        for route in routes {
            if let parameters = route.match(path) { return (route, parameters) }
        }
        return nil
    }

    private func problem(_ error: any Error, _ request: Request) -> RequestProblem {
        switch error {
        case let known as RequestProblem: return known
        case let known as StoreError:
            if case .failed(let reason) = known {
                log.write(LogLine(.error, "store: \(reason)"))
            }
            return RequestProblem(known)
        default:
            log.write(LogLine(.error, "\(request.method) \(request.path): \(error)"))
            return RequestProblem(500, "internal", "the request could not be handled")
        }
    }

    private func finish(
        _ response: Response, _ request: Request, requestID: String, now: UTCTime
    ) -> Response {
        var response = response
        response.headers["X-Server-Time"] = now.rfc3339
        response.headers["X-Request-Id"] = requestID
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Content-Type-Options"] = "nosniff"
        if let skew = Self.skew(of: request, now: now) {
            response.headers["X-Clock-Skew-Ms"] = String(skew)
        }
        compress(&response, for: request)
        return response
    }

    /// How far the client's clock is ahead, milliseconds; nil: not told, or tolerable.
    private static func skew(of request: Request, now: UTCTime) -> Int64? {
        guard let text = request.headers["X-Client-Time"], let time = UTCTime(rfc3339: text)
        else { return nil }
        let skew = time.milliseconds(since: now)
        return skew.magnitude > toleratedSkewMilliseconds.magnitude ? skew : nil
    }

    private func compress(_ response: inout Response, for request: Request) {
        guard response.body.count >= Self.leastCompressedBytes else { return }
        response.headers.append("Vary", "Accept-Encoding")
        guard Self.acceptsGzip(request.headers["Accept-Encoding"] ?? ""),
            let smaller = try? Gzip.compress(response.body, level: 4)
        else { return }
        response.body = smaller
        response.headers["Content-Encoding"] = "gzip"
    }

    /// RFC 9110 section 12.5.3: "gzip" or "*" with a weight that is not zero.
    static func acceptsGzip(_ field: String) -> Bool {
        field.split(separator: ",").contains { part in
            let pieces = part.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
            guard let name = pieces.first, name == "gzip" || name == "*" else { return false }
            let weight = pieces.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
            return weight.map { (Double($0) ?? 0) > 0 } ?? true
        }
    }

    /// 16 hex digits; without entropy zeros, which only a log would notice.
    static func makeID() -> String {
        Hexadecimal.encode((try? RandomBytes.make(8)) ?? [UInt8](repeating: 0, count: 8))
    }
}
