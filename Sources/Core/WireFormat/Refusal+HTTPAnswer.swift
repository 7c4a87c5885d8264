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
        reason = problem.code.map(Self.bounded)
        // What is wrong with a batch may be told with a position, which no journal must hold.
        if answer.status != 400, answer.status != 422 {
            detail = problem.detail.map(Self.bounded)
        }
    }

    /// A server's words, short and on one line, as they may stand in `status` and the journal.
    static func bounded(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.lazy
                    .map { $0.value < 32 || (127...159).contains($0.value) ? " " : $0 }
                    .prefix(reasonLimit)))
    }

    private static let reasonLimit = 80
}

/// The fields of a problem document that matter, each of which a server may leave out.
private struct ProblemFacts: Decodable {
    var code: String?
    var detail: String?
}
