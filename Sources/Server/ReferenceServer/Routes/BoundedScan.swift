/// A page of records of which most may be none that are asked for: it looks at so many and then
/// hands back what it found, with the place to go on from.
struct BoundedScan {
    /// Records that are looked at for one page.
    var recordLimit = 20_000
    /// Records that are looked at while one state of the store is held.
    var pieceSize = 1_000

    /// - Parameters:
    ///   - count: records that the page holds at most.
    ///   - receipt: what stands for a record as a cursor.
    ///   - piece: the matching ones of the next so many records after a cursor, and the cursor that
    ///     goes on; nil: there are no more.
    func page<Record>(
        of count: Int, from cursor: Int64?, receipt: (Record) -> Int64,
        _ piece: (_ cursor: Int64?, _ limit: Int) throws -> ([Record], next: Int64?)
    ) rethrows -> (records: [Record], next: Int64?) {
        var records: [Record] = []
        var cursor = cursor
        var looked = 0
        while looked < recordLimit {
            // Where all match, no more is read than is wanted.
            let size = looked == 0 ? min(pieceSize, count) : pieceSize
            let (found, next) = try piece(cursor, size)
            records += found
            if records.count > count {
                records.removeLast(records.count - count)
                return (records, records.last.map(receipt))
            }
            guard let next else { return (records, nil) }
            if records.count == count { return (records, next) }
            cursor = next
            looked += size
        }
        return (records, cursor)
    }
}
