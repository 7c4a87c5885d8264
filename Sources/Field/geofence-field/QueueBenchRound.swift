/// One round of `bench queue`. Rates: events a second.
struct QueueBenchRound {
    var rawRate = 0.0
    var singleRate = 0.0
    var batchRate = 0.0
    var settleRate = 0.0
    /// An event encoded, bound and inserted where no disk is waited for, microseconds.
    var eventMicroseconds = 0.0

    static let names = [
        "raw_per_s", "single_per_s", "batch_per_s", "settle_per_s", "event_us",
    ]

    private var values: [Double] {
        [rawRate, singleRate, batchRate, settleRate, eventMicroseconds]
    }

    /// The middle one of each figure, in the order of `names`.
    static func medians(_ rounds: [QueueBenchRound]) -> [Double] {
        names.indices.map { index in
            let sorted = rounds.map { $0.values[index] }.sorted()
            guard let upper = sorted.dropFirst(sorted.count / 2).first,
                let lower = sorted.dropFirst((sorted.count - 1) / 2).first
            else { return 0 }
            return (lower + upper) / 2
        }
    }
}
