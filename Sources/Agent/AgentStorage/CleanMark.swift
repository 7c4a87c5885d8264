import Cryptography
import SQLite

/// What stands in `meta` under `clean` after an orderly stop: a checksum of what the next start takes
/// over without reading the rows. Where it does not hold, the file is checked as after a crash.
enum CleanMark {
    static let name = "clean"
    /// While a process is at work.
    static let dirty = "0"

    /// The mark for the file as it is now.
    static func make(_ rows: QueueRows) throws(SQLiteError) -> String {
        let counters = try rows.counters()
        let facts = [
            try rows.meta("epoch") ?? "", try rows.meta("device") ?? "",
            String(try rows.lastSequence()), String(counters.enqueued),
            String(counters.acknowledged), String(counters.pending), String(counters.dead),
            String(counters.evicted), String(counters.keptAcknowledged),
            String(counters.deadBytes),
        ]
        return "1 "
            + Hexadecimal.encode(Digest.of(Array(facts.joined(separator: "\n").utf8)))
    }

    /// Whether the file was closed in an orderly way and is still what it was then, as far as the
    /// mark covers it.
    static func holds(_ rows: QueueRows) throws(SQLiteError) -> Bool {
        guard let mark = try rows.meta(name), mark != dirty else { return false }
        return try mark == make(rows)
    }
}
