import Cryptography
import Delivery

/// The visits that are under way, by fence: made by the enter, used by what follows, ended by the
/// exit.
struct Arrivals: Hashable {
    private(set) var visits: [String: UUIDBytes] = [:]
    /// Fences whose entry differs from what is stored.
    private(set) var changed: Set<String> = []
    private var ending: Set<String> = []

    init(stored: [String: UUIDBytes] = [:]) {
        visits = stored
    }

    /// Visits that another store has and this one does not yet.
    init(carrying visits: [String: UUIDBytes]) {
        self.visits = visits
        changed = Set(visits.keys)
    }

    /// The visits of `other`, with all that differs to be stored.
    func replaced(by other: Arrivals) -> Arrivals {
        var result = Arrivals(carrying: other.visits)
        result.changed.formUnion(visits.keys)
        return result
    }

    /// The visit that an event belongs to; nil for a kind that belongs to none.
    mutating func visit(
        of draft: EventDraft, id: UUIDBytes, deviceID: String
    ) throws(CryptographyError) -> UUIDBytes? {
        guard let fence = draft.fenceID else { return nil }
        switch draft.kind {
        case .enter:
            _ = try begin(fence, with: id, deviceID: deviceID)
            return nil
        case .dwell, .visitStarted:
            if let known = visits[fence], !ending.contains(fence) { return known }
            // A silent enter has no event of its own: the first event of the visit stands for it.
            return try begin(fence, with: id, deviceID: deviceID)
        case .exit, .visitEnded:
            defer { ending.insert(fence) }
            guard draft.endsVisit else { return nil }
            // Its beginning was lost with a damaged file: what is left of it still needs a name.
            if let known = visits[fence] { return known }
            return try begin(fence, with: id, deviceID: deviceID)
        case .pass, .coverageLost, .coverageRestored, .queueEvicted, .stateReset, .moved:
            return nil
        }
    }

    private mutating func begin(
        _ fence: String, with id: UUIDBytes, deviceID: String
    ) throws(CryptographyError) -> UUIDBytes {
        let visit = try EventIdentity.visit(
            deviceID: deviceID, fenceID: fence, enterEventID: id)
        visits[fence] = visit
        changed.insert(fence)
        ending.remove(fence)
        return visit
    }

    /// An exit and the end of its visit come in one commit: only then the visit is forgotten.
    mutating func finishCommit() {
        for fence in ending {
            visits[fence] = nil
            changed.insert(fence)
        }
        ending.removeAll()
    }

    mutating func stored() {
        changed.removeAll()
    }
}
