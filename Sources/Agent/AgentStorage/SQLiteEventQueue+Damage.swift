import Delivery

extension SQLiteEventQueue {
    /// The store on disk, whatever it takes: an exchange that was cut short is ended, a file that is
    /// damaged (or shows `damage` already) is replaced, and where there is no room for that, what is
    /// worth less than events gives way.
    func soundStore(damage: String? = nil) throws(QueueOpening.Failure) -> QueueStore {
        var damage = damage
        while true {
            do {
                let store = try openOrReplace(&damage)
                quarantinedBytes = files.quarantinedBytes
                if let old = store.previousEpoch {
                    note(
                        .warning,
                        "the file is a copy, or of another device: epoch \(store.epoch) begins, "
                            + "events of epoch \(old) keep their names")
                }
                return store
            } catch {
                guard case .unavailable(_, isFull: true) = error, giveRoom() else { throw error }
            }
        }
    }

    /// `damage` is nil again once the file is replaced: what fails then is about the new one.
    private func openOrReplace(
        _ damage: inout String?
    ) throws(QueueOpening.Failure) -> QueueStore {
        let replacement = QueueReplacement(opening: opening, label: quarantineLabel)
        if try replacement.finish() {
            damage = nil
            note(.warning, "the salvaged queue has taken the place of the damaged one")
            return try opening.open()
        }
        let found: String
        if let damage {
            found = damage
        } else {
            do { return try opening.open() } catch {
                guard case .damaged(let detail) = error else { throw error }
                found = detail
            }
        }
        note(.error, "the queue is damaged and is replaced: \(found)")
        let outcome = try replacement.run { resetDraft(detail: found, lost: $0) }
        damage = nil
        let lost = outcome.lost.map { String($0) } ?? "unknown"
        note(.warning, "\(outcome.saved) events saved, \(lost) lost")
        return try opening.open()
    }

    /// Gives up positions, then what is held back for a full disk, then damaged files that were
    /// salvaged; false: there is nothing.
    func giveRoom() -> Bool {
        if crumbs.discard(because: "the disk is full") { return true }
        if files.dropBallast() {
            note(.warning, "the disk is full: gave up the ballast")
            return true
        }
        guard files.dropOldestQuarantined() else { return false }
        quarantinedBytes = files.quarantinedBytes
        note(.warning, "the disk is full: gave up the oldest file in quarantine")
        return true
    }
}
