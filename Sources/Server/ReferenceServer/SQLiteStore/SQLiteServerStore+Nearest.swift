import Geodesy
import SQLite
import Timekeeping
import WireFormat

extension SQLiteServerStore {
    /// Times that a search is begun anew because a fence was changed meanwhile.
    private static let attempts = 5

    public func nearest(
        _ position: Coordinate, pool: Int, for member: FenceAudienceMember, in workspace: Int64,
        now: UTCTime, at commit: Int?
    ) throws(StoreError) -> NearestFences {
        do {
            if commit == nil { _ = try mirror.commitNumber() }
            var attempt = 1
            while true {
                let answer = try search(position, pool, member, workspace, now)
                if answer.isCurrent { return answer.nearest }
                // Half of one set and half of another is no answer.
                guard attempt < Self.attempts else { throw StoreError.busy }
                attempt += 1
                try mirror.follow()
            }
        } catch {
            throw StoreError(error)
        }
    }

    /// Reads the fences of all workspaces, so that nobody has to wait for it; how many they are, and
    /// the bytes that they take in memory.
    public func prepareSearch() throws(StoreError) -> (fences: Int, bytes: Int) {
        do {
            var total = (fences: 0, bytes: 0)
            for workspace in try workspaces() {
                let fences = try mirror.fences(of: workspace.id)
                total.fences += fences.count
                total.bytes += fences.byteCount
            }
            return total
        } catch {
            throw StoreError(error)
        }
    }

    public func neighbors(
        of position: Coordinate, count: Int, in workspace: Int64
    ) throws(StoreError) -> [FenceNeighbor] {
        do {
            _ = try mirror.commitNumber()
            let point = SurfacePoint(position)
            let ranked = try mirror.fences(of: workspace).nearest(
                count, to: point, nowMilliseconds: .min, access: .asking { _ in true }
            ) { try distance(to: point, ofRow: $0, tag: $1)?.meters }
            // They have just been measured, so that they are laid out.
            let near = try ranked.compactMap { found in
                try shape(ShapeCache.Key(rowID: found.rowID, tag: found.tag)).map {
                    (found, $0.shape)
                }
            }
            return try readers.read { connection in
                try near.compactMap { found, shape in
                    try connection.first("SELECT fence_id FROM fences WHERE id = ?", found.rowID) {
                        FenceNeighbor(
                            id: $0.text(0), distanceMeters: found.distanceMeters, shape: shape)
                    }
                }
            }
        } catch {
            throw StoreError(error)
        }
    }

    /// Nil: it is gone. `isCurrent`: it is the fence that the index knows.
    private func distance(
        to point: SurfacePoint, ofRow rowID: Int64, tag: Int64
    ) throws -> (meters: Double, isCurrent: Bool)? {
        try shape(ShapeCache.Key(rowID: rowID, tag: tag)).map {
            (max(0, -$0.shape.signedDistance(to: point)), $0.tag == tag)
        }
    }

    /// `isCurrent`: the fences are those that were measured.
    private func search(
        _ position: Coordinate, _ pool: Int, _ member: FenceAudienceMember, _ workspace: Int64,
        _ now: UTCTime
    ) throws -> (nearest: NearestFences, isCurrent: Bool) {
        let fences = try mirror.fences(of: workspace)
        let point = SurfacePoint(position)
        var isCurrent = true
        let ranked = try fences.nearest(
            pool + 1, to: point, nowMilliseconds: now.millisecondsSince1970,
            access: fences.restricted.count == 0 ? .rows([]) : access(member, workspace)
        ) { row, tag in
            let found = try distance(to: point, ofRow: row, tag: tag)
            if found?.isCurrent != true { isCurrent = false }
            return found?.meters
        }
        let wanted = ranked.prefix(pool)
        let stored = try documents(of: wanted.map { .init(rowID: $0.rowID, tag: $0.tag) })
        var result = NearestFences(
            fences: [],
            nextDistanceMeters: ranked.count > pool ? ranked[pool].distanceMeters : nil)
        result.fences.reserveCapacity(wanted.count)
        for (found, fence) in zip(wanted, stored) {
            guard let fence else {
                isCurrent = false
                continue
            }
            if fence.tag != found.tag { isCurrent = false }
            result.fences.append(.init(fence: fence, distanceMeters: found.distanceMeters))
        }
        return (result, isCurrent)
    }

    /// Restricted fences of one member that are listed; where there are more, each is asked for.
    private static let listedFences = 2_000

    private func access(
        _ member: FenceAudienceMember, _ workspace: Int64
    ) throws(StoreError) -> WorkspaceFences.Access {
        let values = AudienceCondition.values(member, in: workspace).map(\.sqliteValue)
        let rows = try readers.read { connection in
            try connection.query(
                "\(AudienceCondition.selectRows) LIMIT ?",
                values: values + [(Self.listedFences + 1).sqliteValue]
            ) { $0.int64(0) }
        }
        if rows.count <= Self.listedFences { return .rows(Array(Set(rows))) }
        return .asking { [readers] rowID in
            try readers.read { connection in
                try !connection.query(
                    "SELECT 1 FROM fences f WHERE f.id = ? AND \(AudienceCondition.isNamed)",
                    values: [rowID.sqliteValue] + values
                ) { $0.int64(0) }.isEmpty
            }
        }
    }

    /// In the order of the keys; nil: it is gone.
    private func documents(of keys: [ShapeCache.Key]) throws(StoreError) -> [StoredFence?] {
        var fences = documents.fences(for: keys)
        let missing = fences.indices.filter { fences[$0] == nil }
        guard !missing.isEmpty else { return fences }
        let read = try readers.read { connection in
            try missing.map { index in
                try connection.first(
                    "\(SQLiteServerStore.selectFence) WHERE id = ?", keys[index].rowID
                ) { SQLiteServerStore.fence($0) }
            }
        }
        for (index, fence) in zip(missing, read) {
            guard let fence else { continue }
            documents.insert(fence, rowID: keys[index].rowID)
            fences[index] = fence
        }
        return fences
    }

    /// Nil: it is gone.
    private func shape(_ key: ShapeCache.Key) throws -> (shape: PreparedShape, tag: Int64)? {
        if let known = shapes.shape(for: key) { return (known, key.tag) }
        let read = try readers.read { connection in
            try connection.first(
                "SELECT document, tag FROM fences WHERE id = ?", key.rowID
            ) { (document: $0.blob(0), tag: $0.int64(1)) }
        }
        guard let read else { return nil }
        let fence = try WireCoding.decode(WireFence.self, from: read.document).fence()
        // Only fences without defects are stored.
        let shape = try PreparedShape(knownGood: fence.shape)
        shapes.insert(shape, for: ShapeCache.Key(rowID: key.rowID, tag: read.tag))
        return (shape, read.tag)
    }
}
