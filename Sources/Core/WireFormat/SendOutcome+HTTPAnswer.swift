import Campaigns
import Delivery

extension SendOutcome {
    /// What an answer to the batch `batchID` means. A receipt is only what passes every test: status
    /// exactly 200, JSON content type, complete body within the limit, readable, our batch id.
    public init(_ answer: HTTPAnswer, batchID: String) {
        if (400...599).contains(answer.status) {
            self = .refused(Refusal(answer))
            return
        }
        do {
            self = .receipt(try Receipt(answer, batchID: batchID))
        } catch {
            self = .unreachable(.captivePortal, reason: "no receipt: \(error.description)")
        }
    }
}

extension Receipt {
    fileprivate init(_ answer: HTTPAnswer, batchID: String) throws(WireError) {
        guard answer.status == 200 else {
            throw WireError(pointer: "", detail: "HTTP status \(answer.status)")
        }
        guard answer.isJSON else {
            let type = answer.contentType.map { "'\($0.prefix(60))'" } ?? "missing"
            throw WireError(pointer: "", detail: "content type \(type)")
        }
        guard answer.isComplete, answer.body.count <= HTTPAnswer.bodyLimit else {
            throw WireError(pointer: "", detail: "the body is cut off or too large")
        }
        let document = try WireCoding.decode(ReceiptFacts.self, from: answer.body)
        guard document.batchID.text == batchID else {
            throw WireError(pointer: "/batch_id", detail: "of another batch")
        }
        var results: [String: Result] = [:]
        var hasUnknownResults = false
        for facts in document.results {
            guard let result = Result(facts) else {
                hasUnknownResults = true
                continue
            }
            let id = facts.clientEventID.text
            // Two words on one event cancel each other: it stays queued.
            results[id] = results[id] == nil ? result : Result(.deferred(retryAfterSeconds: nil))
        }
        self.init(
            results: results, hasUnknownResults: hasUnknownResults,
            configRevision: document.configRevision)
    }
}

extension Receipt.Result {
    /// Nil for a status that this version does not know: no word on the event.
    fileprivate init?(_ facts: ReceiptFacts.Result) {
        let verdict = facts.notificationVerdict.flatMap(NotificationVerdict.init)
        switch BatchAnswer.Status(rawValue: facts.status) {
        case .accepted: self.init(.accepted, verdict: verdict)
        case .duplicate: self.init(.duplicate, verdict: verdict)
        case .rejected: self.init(.rejected(code: facts.code ?? "rejected"))
        case .deferred:
            self.init(
                .deferred(
                    retryAfterSeconds: facts.retryAfterSeconds,
                    code: facts.code.map(Refusal.bounded)))
        case nil: return nil
        }
    }
}

/// The fields of a `BatchAnswer` that make a receipt. Laxer than that type: a server that leaves
/// out what the agent can do without, or adds a status, must not stop the queue.
private struct ReceiptFacts: Decodable {
    var batchID: WireID
    var configRevision: Int?
    var results: [Result]

    enum CodingKeys: String, CodingKey {
        case results
        case batchID = "batch_id"
        case configRevision = "config_revision"
    }

    struct Result: Decodable {
        var clientEventID: WireID
        var status: String
        var code: String?
        var retryAfterSeconds: Double?
        var notificationVerdict: String?

        enum CodingKeys: String, CodingKey {
            case status, code
            case notificationVerdict = "server_notification_verdict"
            case clientEventID = "client_event_id"
            case retryAfterSeconds = "retry_after_s"
        }
    }
}
