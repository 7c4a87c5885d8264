/// Keys of events, as single ones and as ranges, so that a whole refused backlog takes little room.
public struct KeySet: Hashable, Sendable, ExpressibleByArrayLiteral {
    private var singles: Set<Int64>
    /// Ascending, without overlaps.
    private var ranges: [ClosedRange<Int64>]

    public init(_ singles: Set<Int64> = [], ranges: [ClosedRange<Int64>] = []) {
        self.singles = singles
        self.ranges = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            guard let last = self.ranges.last, range.lowerBound <= last.upperBound else {
                self.ranges.append(range)
                continue
            }
            self.ranges[self.ranges.count - 1] =
                last.lowerBound...max(last.upperBound, range.upperBound)
        }
    }

    public init(arrayLiteral elements: Int64...) { self.init(Set(elements)) }

    public func contains(_ key: Int64) -> Bool {
        if singles.contains(key) { return true }
        // The last range that begins at or below the key is the only one that can hold it.
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].lowerBound <= key { low = middle + 1 } else { high = middle }
        }
        return low > 0 && ranges[low - 1].contains(key)
    }

    /// How many keys these are at most: a single one may lie in a range.
    var countAtMost: Int64 {
        ranges.reduce(Int64(singles.count)) { sum, range in
            let (length, isTooLong) = range.upperBound.subtractingReportingOverflow(
                range.lowerBound)
            let (total, isTooMany) = sum.addingReportingOverflow(length)
            return isTooLong || isTooMany || total == .max ? .max : total + 1
        }
    }

    func union(_ keys: some Sequence<Int64>) -> KeySet {
        var result = self
        result.singles.formUnion(keys)
        return result
    }
}
