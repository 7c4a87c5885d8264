import Delivery
import SQLite

/// Puts a new queue in the place of a damaged one; at no moment does a power cut cost an event.
///
/// All that can be saved goes into a database of its own beside the damaged one, which stays as it is.
/// When that one is complete (events, counters, state, and the event that tells of it) and durable,
/// it gets the name at which a start sees that. A start before that moment finds the damaged file and
/// does everything again; a start after it ends the exchange. Where there is no room the damaged file
/// stays in its place, too.
struct QueueReplacement {
    let opening: QueueOpening
    /// Names the damaged file in the quarantine.
    let label: String
    /// Told after each step that a power cut can follow.
    var observe: (Step) -> Void = { _ in }

    enum Step: Hashable {
        case made, saved, told, closed, named
        case moved(String)
        case placed
    }

    struct Outcome: Hashable {
        var saved: Int64
        /// Nil: not known how many.
        var lost: Int64?
    }

    private var files: QueueFiles { opening.files }

    /// Replaces the file; `draft` makes the event that tells how many events were lost.
    func run(
        telling draft: (_ lost: Int64?) -> EventDraft
    ) throws(QueueOpening.Failure) -> Outcome {
        do {
            // One that has vanished leaves an empty one behind in the quarantine.
            try files.makeDatabase()
            files.removeTemporaries()
            let outcome = try fill(draft)
            observe(.closed)
            try files.nameReplacement()
            observe(.named)
            try finish()
            return outcome
        } catch {
            files.removeTemporaries()
            throw QueueOpening.Failure(besides: error)
        }
    }

    private func fill(_ draft: (_ lost: Int64?) -> EventDraft) throws -> Outcome {
        var beside = opening
        beside.files.name = QueueFiles.salvageName
        // What was in the old file has a place in the new one, whatever the limit is now.
        let bytes = try QueueFiles.suffixes.reduce(0) {
            try $0 + QueueFiles.size(of: files.database + $1)
        }
        beside.limits.maxBytes = max(opening.limits.maxBytes, bytes * 2)
        let fresh = try beside.openFile()
        observe(.made)
        var salvage = QueueSalvage(into: fresh)
        try salvage.run(from: files) { observe(.saved) }
        try fresh.commit(try fresh.prepare([draft(salvage.lost)]), state: .none)
        observe(.told)
        try fresh.markClean()
        return Outcome(saved: salvage.saved, lost: salvage.lost)
    }

    /// Ends an exchange whose new file is complete; false: there is none.
    @discardableResult
    func finish() throws(QueueOpening.Failure) -> Bool {
        guard QueueFiles.exists(files.replacement) else { return false }
        if QueueFiles.suffixes.contains(where: { QueueFiles.exists(files.database + $0) }) {
            try files.quarantineDatabase(label: label) { observe(.moved($0)) }
        }
        try files.placeReplacement()
        observe(.placed)
        files.trimQuarantine(maxBytes: opening.limits.maxBytes)
        return true
    }
}
