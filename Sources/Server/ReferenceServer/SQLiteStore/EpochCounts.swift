import SQLite

/// How many events of each epoch are kept, up to which number, and how many numbers two claim: kept
/// beside the events, so that looking at a device does not have to go through them.
struct EpochCounts {
    private var kept: [Int64: Kept] = [:]

    fileprivate struct Kept {
        var sequences: [Int64] = []
        /// Each is greater than the one before it, as a device sends them.
        var isAscending = true
    }

    /// An event of the epoch of this row was kept.
    mutating func note(_ sequence: Int64, ofEpoch epoch: Int64) {
        kept[epoch, default: Kept()].note(sequence)
    }

    func write(device: Int64, on connection: Connection) throws {
        for (epoch, kept) in kept {
            let sequences = kept.sequences
            let last =
                try connection.first("SELECT last_seq FROM epochs WHERE id = ?", epoch) {
                    $0.int64(0)
                } ?? 0
            // What goes on where the epoch ended is claimed by nobody else: nothing is searched.
            let goesOn = kept.isAscending && (sequences.first ?? 0) > last
            let conflicts =
                goesOn
                ? 0
                : try Self.conflicts(
                    sequences, beyond: last, ofEpoch: epoch, of: device, on: connection)
            try connection.run(
                """
                UPDATE epochs SET events = events + ?, conflicts = conflicts + ?,
                    last_seq = max(last_seq, ?) WHERE id = ?
                """, sequences.count, conflicts, sequences.max() ?? 0, epoch)
        }
    }

    private static func conflicts(
        _ sequences: [Int64], beyond last: Int64, ofEpoch epoch: Int64, of device: Int64,
        on connection: Connection
    ) throws -> Int {
        var conflicts = 0
        for (sequence, count) in Dictionary(sequences.map { ($0, 1) }, uniquingKeysWith: +) {
            var before = 0
            if sequence <= last {
                before = try Self.count(sequence, ofEpoch: epoch, of: device, on: connection)
                before -= count
            }
            conflicts += before > 0 ? count : count - 1
        }
        return conflicts
    }

    private static func count(
        _ sequence: Int64, ofEpoch epoch: Int64, of device: Int64, on connection: Connection
    ) throws -> Int {
        try connection.first(
            "SELECT count(*) FROM events WHERE device = ? AND epoch = ? AND seq = ?", device,
            epoch, sequence
        ) { $0.int(0) } ?? 0
    }
}

extension EpochCounts.Kept {
    fileprivate mutating func note(_ sequence: Int64) {
        if let last = sequences.last, last >= sequence { isAscending = false }
        sequences.append(sequence)
    }
}
