/// Makes repetitive bytes shorter, without loss, for rows of the queue: an event is mostly the names of
/// its members, and the tracker's state says the same of each fence.
///
/// What is written is what a memory card wears out by, and each page of it costs two system calls at the
/// commit and two more at a checkpoint. A sequence is a control byte (high half: count of literals, low
/// half: length of the match less `leastMatch`; 15: more bytes of the number follow, each added, until
/// one below 255), the literals, and the distance to the match in two bytes, low one first. The last one
/// ends with its literals. Distances may reach back into the dictionary, which lies before the text.
///
/// Invariant: `unpack` of what `pack` made is what was packed; of anything else it is nil or some bytes,
/// and never a trap.
enum Packing {
    /// What is known to reader and writer beforehand. It never changes: rows on disk rest upon it.
    struct Dictionary: Sendable {
        let bytes: [UInt8]
        /// By hash of four bytes, where these stand last, from 1; 0: nowhere.
        fileprivate let places: [UInt16]

        static let none = Dictionary("")

        init(_ text: String) {
            bytes = Array(text.utf8)
            var places = [UInt16](repeating: 0, count: 1 << Packing.hashBits)
            bytes.withUnsafeBytes { bytes in
                guard bytes.count >= Packing.leastMatch else { return }
                for index in 0...bytes.count - Packing.leastMatch {
                    places[Packing.hash(Packing.load(bytes, index))] = UInt16(clamping: index + 1)
                }
            }
            self.places = places
        }
    }

    private static let leastMatch = 4
    private static let hashBits = 12
    /// Of dictionary and text together: places are kept in 16 bits.
    private static let greatestWindow = 65_000
    /// Bytes without a match after which every second place is looked at, and so on.
    private static let patience = 5

    // MARK: Pack

    /// Nil where the bytes would not get shorter, or are too long.
    static func pack(_ text: [UInt8], with dictionary: Dictionary) -> [UInt8]? {
        let start = dictionary.bytes.count
        guard text.count > leastMatch, text.count <= greatestWindow - start else { return nil }
        let window = dictionary.bytes + text
        var places = dictionary.places
        let packed = [UInt8](unsafeUninitializedCapacity: text.count) { output, count in
            var writer = Writer(output: output)
            places.withUnsafeMutableBufferPointer { places in
                window.withUnsafeBytes { write($0, from: start, places, to: &writer) }
            }
            count = writer.isFull ? 0 : writer.count
        }
        return packed.isEmpty ? nil : packed
    }

    private static func write(
        _ window: UnsafeRawBufferPointer, from start: Int,
        _ places: UnsafeMutableBufferPointer<UInt16>, to writer: inout Writer
    ) {
        let last = window.count - leastMatch
        var (literals, index) = (start, start)
        while index <= last {
            let four = load(window, index)
            let slot = hash(four)
            var match = Int(places[slot]) - 1
            places[slot] = UInt16(truncatingIfNeeded: index + 1)
            guard match >= 0, load(window, match) == four else {
                index += 1 + (index - literals) >> patience
                continue
            }
            var end = index + leastMatch
            var other = match + leastMatch
            while end < window.count, window[end] == window[other] {
                end += 1
                other += 1
            }
            while index > literals, match > 0, window[index - 1] == window[match - 1] {
                index -= 1
                match -= 1
            }
            writer.add(window[literals..<index], length: end - index, distance: index - match)
            guard !writer.isFull else { return }
            (literals, index) = (end, end)
            if end - 2 <= last {
                places[hash(load(window, end - 2))] = UInt16(truncatingIfNeeded: end - 1)
            }
        }
        writer.end(window[literals...])
    }

    /// Writes into a buffer as long as the text: one that does not suffice is of no use.
    private struct Writer {
        let output: UnsafeMutableBufferPointer<UInt8>
        var count = 0
        var isFull = false

        mutating func add(
            _ literals: Slice<UnsafeRawBufferPointer>, length: Int, distance: Int
        ) {
            let rest = length - Packing.leastMatch
            // The numbers' further bytes, control byte and distance.
            guard count + literals.count + literals.count / 255 + rest / 255 + 5 <= output.count
            else {
                isFull = true
                return
            }
            put(min(literals.count, 15) << 4 | min(rest, 15))
            more(literals.count)
            copy(literals)
            more(rest)
            put(distance & 0xff)
            put(distance >> 8)
        }

        mutating func end(_ literals: Slice<UnsafeRawBufferPointer>) {
            guard count + literals.count + literals.count / 255 + 2 <= output.count else {
                isFull = true
                return
            }
            put(min(literals.count, 15) << 4)
            more(literals.count)
            copy(literals)
        }

        private mutating func put(_ byte: Int) {
            output[count] = UInt8(truncatingIfNeeded: byte)
            count += 1
        }

        private mutating func more(_ number: Int) {
            guard number >= 15 else { return }
            var rest = number - 15
            while rest >= 255 {
                put(255)
                rest -= 255
            }
            put(rest)
        }

        private mutating func copy(_ literals: Slice<UnsafeRawBufferPointer>) {
            for byte in literals {
                output[count] = byte
                count += 1
            }
        }
    }

    // MARK: Unpack

    /// The `count` bytes that were packed; nil where these are not what `pack` makes of so many.
    static func unpack(
        _ packed: ArraySlice<UInt8>, count: Int, with dictionary: Dictionary
    ) -> [UInt8]? {
        let start = dictionary.bytes.count
        guard count >= 0, count <= greatestWindow - start else { return nil }
        var reader = Reader(rest: packed)
        var window = dictionary.bytes
        window.reserveCapacity(start + count)
        while true {
            guard let control = reader.next(), let literals = reader.number(from: control >> 4),
                let bytes = reader.take(literals), window.count - start + literals <= count
            else { return nil }
            window += bytes
            if reader.rest.isEmpty { break }
            guard let rest = reader.number(from: control & 15), let low = reader.next(),
                let high = reader.next()
            else { return nil }
            let (length, distance) = (rest + leastMatch, high << 8 | low)
            guard distance > 0, distance <= window.count, window.count - start + length <= count
            else { return nil }
            for _ in 0..<length { window.append(window[window.count - distance]) }
        }
        return window.count - start == count ? Array(window[start...]) : nil
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func next() -> Int? { rest.popFirst().map(Int.init) }

        mutating func number(from half: Int) -> Int? {
            guard half == 15 else { return half }
            var sum = half
            while let byte = next() {
                sum += byte
                if byte < 255 { return sum }
            }
            return nil
        }

        mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
    }

    private static func load(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> UInt32 {
        bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)
    }

    private static func hash(_ four: UInt32) -> Int {
        Int((four &* 2_654_435_761) >> UInt32(32 - hashBits))
    }
}
