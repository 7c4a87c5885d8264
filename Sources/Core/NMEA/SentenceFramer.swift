/// Finds the sentences in a stream of bytes and checks their checksums.
///
/// Invariants:
/// - What it finds depends on the bytes alone, never on how they are cut into pieces: it decides on
///   a sentence or a binary frame only when its last byte is there, and until then asks to be
///   shown the same bytes again with more behind them.
/// - It asks for no more than `maximumHeldBytes` to be kept.
/// - Every `$` outside of a binary frame is counted once, accepted or rejected.
struct SentenceFramer {
    /// `$` and all up to the line's end. Of 37,066 real sentences 3.7 % exceed the 82 bytes that
    /// the standard allows; the longest has 205.
    static let maximumSentenceBytes = 256
    /// What may have to be kept between two calls.
    static let maximumHeldBytes = BinaryFrame.maximumBytes

    let allowsMissingChecksum: Bool

    /// How to take the end of the bytes.
    enum Ending {
        /// More may follow.
        case open
        /// More may follow, but not soon: what looks like the start of a binary frame is none.
        case pause
    }

    /// The next sentence in `bytes` at or after `position`, which moves behind it. Where there is
    /// none, `position` moves to the first byte that must be shown again.
    @inline(__always)
    func next(
        in bytes: UnsafeBufferPointer<UInt8>, from position: inout Int, ending: Ending,
        counters: inout NMEACounters
    ) -> SentenceBody? {
        while let start = Self.firstStart(in: bytes, from: position) {
            position = start
            guard bytes[start] == Byte.dollar else {
                guard skipBinary(in: bytes, from: &position, ending, &counters) else { return nil }
                continue
            }
            let limit = min(bytes.count, start + Self.maximumSentenceBytes + 1)
            let line = Self.line(in: bytes, from: start + 1, to: limit)
            let stop = line.end
            if stop == limit {
                if limit - start > Self.maximumSentenceBytes {
                    counters.tooLong += 1
                    position = limit
                    continue
                }
                return nil
            }
            position = stop
            if let body = body(in: bytes, start + 1, line, &counters) { return body }
        }
        position = bytes.count
        return nil
    }

    /// The index of the first `$` or byte above 0x7F; nil where there is none.
    @inline(__always)
    private static func firstStart(
        in bytes: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        var index = start
        // Between two sentences there is a line's end and nothing else.
        while index < bytes.count, base[index] < 0x20 { index &+= 1 }
        while bytes.count &- index >= ByteWord.count {
            let starts = ByteWord(loading: base + index).starts
            if starts != 0 { return index &+ ByteWord.firstIndex(starts) }
            index &+= ByteWord.count
        }
        while index < bytes.count {
            if base[index] == Byte.dollar || base[index] > 0x7F { return index }
            index &+= 1
        }
        return nil
    }

    /// The printable bytes of a sentence.
    private struct Line {
        /// The index of the first byte that is not part of it.
        var end: Int
        /// The exclusive or of its bytes.
        var parity: UInt8
    }

    /// The bytes from `start` to the first control, `$`, DEL or byte above 0x7F.
    @inline(__always)
    private static func line(
        in bytes: UnsafeBufferPointer<UInt8>, from start: Int, to limit: Int
    ) -> Line {
        guard let base = bytes.baseAddress else { return Line(end: start, parity: 0) }
        var index = start
        var parity: UInt64 = 0
        while limit &- index >= ByteWord.count {
            let word = ByteWord(loading: base + index)
            let stops = word.sentenceStops
            if stops != 0 {
                let count = ByteWord.firstIndex(stops)
                parity ^= ByteWord.prefix(word.bits, count)
                return Line(end: index &+ count, parity: ByteWord.folded(parity))
            }
            parity ^= word.bits
            index &+= ByteWord.count
        }
        var rest: UInt8 = 0
        while index < limit, Byte.isPrintable(base[index]), base[index] != Byte.dollar {
            rest ^= base[index]
            index &+= 1
        }
        return Line(end: index, parity: ByteWord.folded(parity) ^ rest)
    }

    /// Judges what stands between `$` and the end of the line.
    @inline(__always)
    private func body(
        in bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ line: Line,
        _ counters: inout NMEACounters
    ) -> SentenceBody? {
        guard let base = bytes.baseAddress else { return nil }
        let stopByte = base[line.end]
        if stopByte != Byte.lineFeed, stopByte != Byte.carriageReturn {
            // A whole sentence that only lost its line's end is as good as any other.
            guard stopByte == Byte.dollar, line.end - start > 3, base[line.end - 3] == Byte.star
            else {
                if stopByte == Byte.dollar {
                    counters.interrupted += 1
                } else {
                    counters.nonPrintable += 1
                }
                return nil
            }
        }
        var parity = line.parity
        var star = line.end &- 1
        while star >= start, base[star] != Byte.star {
            parity ^= base[star]
            star &-= 1
        }
        guard star >= start else {
            guard allowsMissingChecksum, line.end > start else {
                counters.checksumMissing += 1
                return nil
            }
            return SentenceBody(start: base + start, end: base + line.end)
        }
        parity ^= Byte.star
        guard star > start, Byte.checksum(base + star + 1, count: line.end - star - 1) == parity
        else {
            counters.checksumMismatch += 1
            return nil
        }
        return SentenceBody(start: base + start, end: base + star)
    }

    /// Moves `position` over what begins with a byte above 0x7F; false where more bytes are needed.
    private func skipBinary(
        in bytes: UnsafeBufferPointer<UInt8>, from position: inout Int, _ ending: Ending,
        _ counters: inout NMEACounters
    ) -> Bool {
        switch BinaryFrame.verdict(UnsafeBufferPointer(rebasing: bytes[position...])) {
        case .ubx(let length):
            counters.ubxFrames += 1
            position += length
        case .rtcm(let length):
            counters.rtcmFrames += 1
            position += length
        case .falseHeader:
            counters.falseBinaryHeaders += 1
            position += 1
        case .none:
            position += 1
        case .undecided:
            guard ending != .open else { return false }
            counters.falseBinaryHeaders += 1
            position += 1
        }
        return true
    }
}
