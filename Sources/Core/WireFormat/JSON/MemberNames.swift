/// The names of an object's members, found by their bytes.
struct MemberNames<Key: CodingKey & CaseIterable & Sendable>: Sendable {
    private let keys: [Key]
    /// All names, one after another.
    private let bytes: [UInt8]
    /// Where the name of each key stands.
    private let ranges: [Range<Int>]

    init() {
        var keys = Array(Key.allCases)
        keys.sort { $0.stringValue.utf8.lexicographicallyPrecedes($1.stringValue.utf8) }
        var bytes: [UInt8] = []
        ranges = keys.map { key in
            let start = bytes.count
            bytes += key.stringValue.utf8
            return start..<bytes.count
        }
        self.keys = keys
        self.bytes = bytes
    }

    /// Where to look for the next name first.
    struct Search {
        fileprivate var place = 0
    }

    /// The key of a name; nil: there is none. Names that come in their order, as we write them, are
    /// each found within a few steps.
    func find(_ name: UnsafeBufferPointer<UInt8>, _ search: inout Search) -> Key? {
        bytes.withUnsafeBufferPointer { bytes in
            for _ in keys.indices {
                let place = search.place
                search.place = place + 1 < keys.count ? place + 1 : 0
                let range = ranges[place]
                if range.count == name.count, bytes[range].elementsEqual(name) {
                    return keys[place]
                }
            }
            return nil
        }
    }
}
