import Delivery
import Geofencing
import WireFormat

/// Asks for fences by `POST /v1/fences/nearest`, the form that keeps coordinates out of logs.
public final class HTTPFenceSource: FenceSource {
    private let connection: HTTPConnection

    /// The guarantee of the coverage guard counts with a sync of at most this length, seconds.
    private static let timeoutSeconds = 10.0
    /// An answer has at most 512 KiB, but a single fence may be as large as the request that
    /// brought it, which is 1 MiB.
    private static let answerLimit = (1 << 20) + 65_536

    public init(_ connection: HTTPConnection) {
        self.connection = connection
    }

    public func fetch(_ query: FenceQuery) -> FenceFetchOutcome {
        let request = NearestRequest(
            lat: query.position.latitude, lon: query.position.longitude,
            accuracyMeters: query.accuracyMeters, limit: query.limit, pool: query.pool)
        guard let body = try? WireCoding.encode(request) else {
            return .failed(FenceFetchFailure(.server, "the query cannot be written as JSON"))
        }
        let tag = query.entityTag.map { [(name: "If-None-Match", value: $0)] } ?? []
        let outcome = connection.perform(
            HTTPRequest(
                .post, "/v1/fences/nearest", body: body, headers: tag,
                answerLimit: Self.answerLimit, timeoutSeconds: Self.timeoutSeconds))
        switch outcome {
        case .answered(let answer, let headers):
            return read(answer, headers, hadTag: query.entityTag != nil)
        case .failed(let state, let reason):
            var failure = FenceFetchFailure(Self.kind(state), reason)
            failure.connectivity = state.rawValue
            failure.isUnanswered = true
            return .failed(failure)
        case .stopped:
            return .failed(FenceFetchFailure(.local, "stopped"))
        }
    }

    private static func kind(_ state: ConnectivityState) -> FenceFetchFailure.Kind {
        switch state {
        case .authenticationFailed: .authentication
        case .endpointMismatch: .configuration
        case .serverBusy, .online: .server
        case .noRoute, .dnsFailed, .connectFailed, .tlsFailed, .clockUnsynchronised,
            .captivePortal:
            .local
        }
    }

    private func read(
        _ answer: HTTPAnswer, _ headers: [String: String], hadTag: Bool
    ) -> FenceFetchOutcome {
        switch answer.status {
        case 200: return Self.readFences(answer, headers)
        case 304 where hadTag:
            guard let coverage = FenceCoverage(headers: headers) else {
                return .failed(Self.somebodyElse("304 without the headers of our server"))
            }
            return .notModified(coverage)
        case 401, 403: return .failed(FenceFetchFailure(.authentication, words(answer)))
        case 404, 405, 410, 415, 426:
            return .failed(FenceFetchFailure(.configuration, words(answer)))
        case 511, ..<400:
            return .failed(Self.somebodyElse("HTTP \(answer.status) from somebody else"))
        default:
            let wait = answer.retryAfter.flatMap { RetryAfter.seconds($0, date: answer.date) }
            return .failed(
                FenceFetchFailure(.server, words(answer), retryAfterSeconds: wait))
        }
    }

    /// "HTTP 401: key_unknown, key file /etc/geofenced/api-key"
    private func words(_ answer: HTTPAnswer) -> String {
        connection.settings.explained(Refusal(answer)).explanation
    }

    private static func somebodyElse(_ message: String) -> FenceFetchFailure {
        var failure = FenceFetchFailure(.local, message)
        failure.connectivity = ConnectivityState.captivePortal.rawValue
        return failure
    }

    private static func readFences(
        _ answer: HTTPAnswer, _ headers: [String: String]
    ) -> FenceFetchOutcome {
        guard answer.isJSON else {
            let type = answer.contentType ?? "no content type"
            return .failed(
                Self.somebodyElse("HTTP 200 with \(type.prefix(60)), not this server's JSON"))
        }
        guard !answer.isOverLimit else {
            return .failed(
                FenceFetchFailure(
                    .tooLarge,
                    "the answer is larger than \(answerLimit / 1024) KiB; asking for fewer fences"))
        }
        guard answer.isComplete else {
            return .failed(FenceFetchFailure(.server, "the answer is cut off"))
        }
        do {
            let document = try WireCoding.decode(NearestAnswer.self, from: answer.body)
            return .fresh(
                try document.fenceAnswer(document: answer.body, entityTag: headers["etag"]))
        } catch {
            return .failed(
                FenceFetchFailure(.server, "HTTP 200 with JSON that is no list of fences: \(error)")
            )
        }
    }
}

extension FenceCoverage {
    /// What a 304 says in its headers; nil where it lacks our `X-Sync-Id`.
    fileprivate init?(headers: [String: String]) {
        guard let syncID = headers["x-sync-id"], !syncID.isEmpty else { return nil }
        func number(_ name: String) -> Double? {
            headers[name].flatMap { JSONNumber.double($0) }.flatMap { $0 >= 0 ? $0 : nil }
        }
        self.init(
            syncID: syncID, refreshAfterMeters: number("x-refresh-after-m"),
            refreshAfterSeconds: number("x-refresh-after-s"),
            coverageRadiusMeters: number("x-coverage-radius-m"))
    }
}
