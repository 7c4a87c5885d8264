import Geodesy

/// Fences packed together: their grounds as a tree, the rest in arrays beside it. It never changes.
final class FenceRun: Sendable {
    let tree: GroundTree
    let rowIDs: ContiguousArray<Int64>
    let tags: ContiguousArray<Int64>
    /// Milliseconds since 1970; the greatest of all for never.
    private let expiries: ContiguousArray<Int64>
    private let areRestricted: Bool
    private let idBytes: ContiguousArray<UInt8>
    private let idEnds: ContiguousArray<UInt32>
    /// Places in the order of their rows.
    private let byRow: ContiguousArray<UInt32>

    /// `entries` are all restricted or none is.
    init(_ entries: [FenceEntry]) {
        var order: [UInt32] = []
        tree = GroundTree(packing: ContiguousArray(entries.map(\.ground)), order: &order)
        let sorted = order.lazy.map { entries[Int($0)] }
        rowIDs = ContiguousArray(sorted.map(\.rowID))
        tags = ContiguousArray(sorted.map(\.tag))
        expiries = ContiguousArray(sorted.map { $0.expiresMilliseconds ?? .max })
        areRestricted = entries.first?.isRestricted ?? false
        var bytes: ContiguousArray<UInt8> = []
        var ends: ContiguousArray<UInt32> = []
        ends.reserveCapacity(entries.count)
        for entry in sorted {
            bytes.append(contentsOf: entry.id.utf8)
            ends.append(UInt32(clamping: bytes.count))
        }
        idBytes = bytes
        idEnds = ends
        let rows = rowIDs
        byRow = ContiguousArray(
            (0..<UInt32(clamping: rows.count)).sorted { rows[Int($0)] < rows[Int($1)] })
    }

    var count: Int { rowIDs.count }

    var byteCount: Int { tree.byteCount + count * (3 * 8 + 2 * 4) + idBytes.count }

    func id(at place: Int) -> String {
        let start = place > 0 ? Int(idEnds[place - 1]) : 0
        return String(decoding: idBytes[start..<Int(idEnds[place])], as: UTF8.self)
    }

    func isExpired(at place: Int, _ nowMilliseconds: Int64) -> Bool {
        expiries[place] <= nowMilliseconds
    }

    /// Nil: the row is not among these.
    func place(ofRow rowID: Int64) -> Int? {
        var low = 0
        var high = byRow.count
        while low < high {
            let middle = (low + high) / 2
            if rowIDs[Int(byRow[middle])] < rowID { low = middle + 1 } else { high = middle }
        }
        guard low < byRow.count, rowIDs[Int(byRow[low])] == rowID else { return nil }
        return Int(byRow[low])
    }

    func entry(at place: Int) -> FenceEntry {
        FenceEntry(
            rowID: rowIDs[place], id: id(at: place), tag: tags[place],
            expiresMilliseconds: expiries[place] == .max ? nil : expiries[place],
            isRestricted: areRestricted, ground: tree.grounds[place])
    }
}
