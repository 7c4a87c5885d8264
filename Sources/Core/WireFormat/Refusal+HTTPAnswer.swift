import Delivery

extension Refusal {
    /// What an error answer says, whether or not it is a problem document of ours.
    public init(_ answer: HTTPAnswer) {
        self.init(
            status: answer.status,
            retryAfterSeconds: answer.retryAfter.flatMap {
                RetryAfter.seconds($0, date: answer.date)
            })
        guard answer.isJSON, answer.isComplete,
            let problem = try? WireCoding.decode(ProblemFacts.self, from: answer.body)
        else { return }
        reason = problem.code.map { String($0.prefix(Self.reasonLimit)) }
        blamesEvents =
            problem.errors?.contains { $0.pointer?.hasPrefix("/events/") ?? false } ?? false
    }

    private static let reasonLimit = 80
}

/// The fields of a problem document that matter, each of which a server may leave out.
private struct ProblemFacts: Decodable {
    var code: String?
    var errors: [Defect]?

    struct Defect: Decodable {
        var pointer: String?
    }
}
