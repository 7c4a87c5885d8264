import SQLite

/// How many events of each epoch are kept, up to which number, and how many numbers two claim: kept
/// beside the events, so that looking at a device does not have to go through them.
struct EpochCounts {
    private var sequences: [Int64: [Int64]] = [:]

    /// An event of the epoch of this row was kept.
    mutating func note(_ sequence: Int64, ofEpoch epoch: Int64) {
        sequences[epoch, default: []].append(sequence)
    }

    func write(device: Int64, on connection: Connection) throws {
        for (epoch, sequences) in sequences {
            let last =
                try connection.first("SELECT last_seq FROM epochs WHERE id = ?", epoch) {
                    $0.int64(0)
                } ?? 0
            var conflicts = 0
            for (sequence, count) in Dictionary(sequences.map { ($0, 1) }, uniquingKeysWith: +) {
                var before = 0
                // What goes on where the epoch ended is claimed by nobody else: nothing is searched.
                if sequence <= last {
                    before = try Self.count(sequence, ofEpoch: epoch, of: device, on: connection)
                    before -= count
                }
                conflicts += before > 0 ? count : count - 1
            }
            try connection.run(
                """
                UPDATE epochs SET events = events + ?, conflicts = conflicts + ?,
                    last_seq = max(last_seq, ?) WHERE id = ?
                """, sequences.count, conflicts, sequences.max() ?? 0, epoch)
        }
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
