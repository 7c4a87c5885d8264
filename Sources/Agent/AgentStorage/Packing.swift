/// Makes repetitive bytes shorter, without loss, for rows of the queue: the tracker's state says the same of
/// each fence.
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
    static let leastMatch = 4
    static let hashBits = 12
    /// Of dictionary and text together: places are kept in 16 bits.
    private static let greatestWindow = 65_000
    /// After two to this many bytes without a match only every second place is looked at, and so on.
    private static let patience = 3

    // MARK: Pack

    /// Nil where it would not get shorter, or is too long.
    static func pack(_ text: [UInt8]) -> [UInt8]? {
        guard text.count > leastMatch, text.count <= greatestWindow else { return nil }
        let packed = text.withUnsafeBytes { text in
            [UInt8](unsafeUninitializedCapacity: text.count) { output, count in
                var writer = Writer(output: output)
                MatchFinder.with(text) { write(text, $0, to: &writer) }
                count = writer.isFull ? 0 : writer.count
            }
        }
        return packed.isEmpty ? nil : packed
    }

    private static func write(
        _ window: UnsafeRawBufferPointer, _ finder: MatchFinder, to writer: inout Writer
    ) {
        let last = window.count - leastMatch
        var (literals, index) = (0, 0)
        while index <= last {
            guard var match = finder.longestMatch(at: index) else {
                index += 1 + (index - literals) >> patience
                continue
            }
            let end = index + match.length
            while index > literals, match.place > 0,
                window[index - 1] == window[match.place - 1]
            {
                index -= 1
                match.place -= 1
            }
            writer.add(
                UnsafeRawBufferPointer(rebasing: window[literals..<index]), length: end - index,
                distance: index - match.place)
            guard !writer.isFull else { return }
            (literals, index) = (end, end)
            if end - 2 <= last { finder.note(end - 2) }
        }
        writer.end(UnsafeRawBufferPointer(rebasing: window[literals...]))
    }

    /// Writes into a buffer as long as the text: one that does not suffice is of no use.
    private struct Writer {
        let output: UnsafeMutableBufferPointer<UInt8>
        var count = 0
        var isFull = false

        mutating func add(_ literals: UnsafeRawBufferPointer, length: Int, distance: Int) {
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

        mutating func end(_ literals: UnsafeRawBufferPointer) {
            guard count + literals.count + literals.count / 255 + 2 <= output.count else {
                isFull = true
                return
            }
            put(min(literals.count, 15) << 4)
            more(literals.count)
            copy(literals)
        }

        @inline(__always)
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

        mutating func copy(_ bytes: UnsafeRawBufferPointer) {
            UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(output)[count...])
                .copyMemory(from: bytes)
            count += bytes.count
        }
    }

    // MARK: Unpack

    /// The `count` bytes that were packed; nil where these are not what is made of so many.
    static func unpack(
        _ packed: ArraySlice<UInt8>, count: Int, with dictionary: [UInt8] = []
    ) -> [UInt8]? {
        let start = dictionary.count
        guard count >= 0, count <= greatestWindow - start else { return nil }
        var reader = Reader(rest: packed)
        var window = dictionary
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

    static func load(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> UInt32 {
        bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)
    }

    static func hash(_ four: UInt32) -> Int {
        Int((four &* 2_654_435_761) >> UInt32(32 - hashBits))
    }
}
