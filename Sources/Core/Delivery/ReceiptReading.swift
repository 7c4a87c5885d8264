/// What a receipt says of the events that it is for.
struct ReceiptReading {
    var conclusion: UploadConclusion
    /// Keys of the events that it names.
    private(set) var answered: [Int64] = []
    /// How many the server has stored now; it knew the other ones that are acknowledged.
    private(set) var acceptedCount = 0
    /// Those that stay, ascending; nil: it says nothing of the event, or no time.
    private(set) var deferred: [(key: Int64, seconds: Double?)] = []
    /// The code with which the first of them was put off; nil: none was, or without a code.
    private(set) var deferralReason: String?
    /// Events that it says nothing of.
    private(set) var omittedCount = 0

    init(_ receipt: Receipt, of batch: OutgoingBatch) {
        conclusion = UploadConclusion(configRevision: receipt.configRevision)
        for event in batch.events {
            guard let result = receipt.results[event.clientEventID] else {
                deferred.append((event.key, nil))
                omittedCount += 1
                continue
            }
            answered.append(event.key)
            take(result, for: event)
        }
        conclusion.hasAnchors = !answered.isEmpty
    }

    private mutating func take(_ result: Receipt.Result, for event: QueuedEvent) {
        switch result.status {
        case .accepted, .duplicate:
            if result.status == .accepted { acceptedCount += 1 }
            conclusion.settlements.append(Settlement(event, .acknowledged))
            conclusion.verdicts[event.key] = result.verdict
        case .rejected(let code):
            conclusion.settlements.append(Settlement(event, .dead(code: code)))
        case .deferred(let seconds, let code):
            deferred.append((event.key, seconds))
            deferralReason = deferralReason ?? code
        }
    }

    var settledKeys: Set<Int64> { Set(conclusion.settlements.map(\.key)) }

    /// Keys of the events that the server has.
    var taken: [Int64] {
        conclusion.settlements.lazy.filter { $0.fate == .acknowledged }.map(\.key)
    }
}
