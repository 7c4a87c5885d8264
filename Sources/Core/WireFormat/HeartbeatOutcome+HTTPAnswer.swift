import Delivery

extension HeartbeatOutcome {
    /// What an answer to a heartbeat means. Ours is only what has status 200, is JSON and complete,
    /// and names a revision: a captive portal is no server.
    public init(_ answer: HTTPAnswer) {
        if (400...599).contains(answer.status) {
            self = .refused(Refusal(answer))
            return
        }
        guard answer.status == 200, answer.isJSON, answer.isComplete,
            answer.body.count <= HTTPAnswer.bodyLimit,
            let facts = try? WireCoding.decode(HeartbeatAnswer.self, from: answer.body)
        else {
            self = .unreachable(
                .captivePortal, reason: "no answer to a heartbeat: HTTP status \(answer.status)")
            return
        }
        self = .heard(configRevision: facts.configRevision)
    }
}

/// The field of the answer that matters.
private struct HeartbeatAnswer: Decodable {
    var configRevision: Int

    enum CodingKeys: String, CodingKey {
        case configRevision = "config_revision"
    }
}
