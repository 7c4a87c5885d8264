/// Finds what stood before in a text.
struct MatchFinder {
    private let window: UnsafeRawBufferPointer
    /// By hash of four bytes, where these stand last of all that was looked at, from 1; 0: nowhere.
    private let places: UnsafeMutablePointer<UInt16>
    /// By place, from 1, where four bytes of the same hash stand before it; 0: nowhere. Other bytes with
    /// that hash end the search: those that follow them are not worth it.
    private let earlier: UnsafeMutablePointer<UInt16>

    /// Places that are compared, which bounds the time.
    private static let candidates = 4

    /// Calls `body` with one that knows nothing of the window yet.
    static func with(_ window: UnsafeRawBufferPointer, _ body: (MatchFinder) -> Void) {
        let slots = 1 << Packing.hashBits
        let count = slots + window.count + 1
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: count) {
            guard let places = $0.baseAddress else { return }
            places.initialize(repeating: 0, count: count)
            body(MatchFinder(window: window, places: places, earlier: places + slots))
        }
    }

    /// Notes that four bytes stand at `index`, which is above all that were noted.
    func note(_ index: Int) {
        let slot = Packing.hash(Packing.load(window, index))
        earlier[index + 1] = places[slot]
        places[slot] = UInt16(truncatingIfNeeded: index + 1)
    }

    /// The longest of the latest matches of what stands at `index`, which is noted; nil: none.
    func longestMatch(at index: Int) -> (place: Int, length: Int)? {
        note(index)
        let four = Packing.load(window, index)
        var next = Int(earlier[index + 1])
        var best = (place: 0, length: 0)
        var rest = Self.candidates
        while next > 0, rest > 0, Packing.load(window, next - 1) == four {
            let place = next - 1
            // One that is longer has the byte at which the best one ended.
            if window[place + best.length] == window[index + best.length] {
                let length = equalBytes(index, place)
                guard index + length < window.count else { return (place, length) }
                if length > best.length { best = (place, length) }
            }
            next = Int(earlier[next])
            rest -= 1
        }
        return best.length > 0 ? best : nil
    }

    /// How many bytes from `later` on are those from `earlier` on; looked at by eights.
    private func equalBytes(_ later: Int, _ earlier: Int) -> Int {
        let limit = window.count - later
        var count = 0
        while count + 8 <= limit {
            let difference =
                window.loadUnaligned(fromByteOffset: later + count, as: UInt64.self)
                ^ window.loadUnaligned(fromByteOffset: earlier + count, as: UInt64.self)
            guard difference == 0 else {
                return count + UInt64(littleEndian: difference).trailingZeroBitCount / 8
            }
            count += 8
        }
        while count < limit, window[later + count] == window[earlier + count] { count += 1 }
        return count
    }
}
