/// Tests on eight bytes at a time, held in one word; byte i of memory is byte i of the word.
///
/// Every mask has 0x80 in the bytes for which the test holds and 0 in the others, exactly: no carry
/// crosses a byte because the top bits are taken off first.
struct ByteWord {
    private let word: UInt64

    static let count = 8
    private static let tops: UInt64 = 0x8080_8080_8080_8080
    private static let ones: UInt64 = 0x0101_0101_0101_0101

    @inline(__always)
    init(loading pointer: UnsafePointer<UInt8>) {
        word = UInt64(
            littleEndian: UnsafeRawPointer(pointer).loadUnaligned(as: UInt64.self))
    }

    var bits: UInt64 { word }

    /// Where a sentence cannot go on: controls, DEL, bytes above 0x7F, and `$`.
    @inline(__always)
    var sentenceStops: UInt64 {
        let low = word & ~Self.tops
        let printable = low &+ Self.ones &* 0x60
        let delete = low &+ Self.ones
        let notDollar = (low ^ (Self.ones &* 0x24)) &+ (Self.ones &* 0x7F)
        return (word | delete | ~printable | ~notDollar) & Self.tops
    }

    /// Where something may begin: `$`, and bytes above 0x7F, which start binary frames.
    @inline(__always)
    var starts: UInt64 {
        let low = word & ~Self.tops
        let notDollar = (low ^ (Self.ones &* 0x24)) &+ (Self.ones &* 0x7F)
        return (word | ~notDollar) & Self.tops
    }

    /// The index of the first byte that a mask names; the mask is not 0.
    @inline(__always)
    static func firstIndex(_ mask: UInt64) -> Int { mask.trailingZeroBitCount >> 3 }

    /// The exclusive or of the eight bytes of a word.
    @inline(__always)
    static func folded(_ word: UInt64) -> UInt8 {
        let half = word ^ (word >> 32)
        let quarter = half ^ (half >> 16)
        return UInt8(truncatingIfNeeded: quarter ^ (quarter >> 8))
    }

    /// The word cut to its first `count` bytes, 0 ... 7.
    @inline(__always)
    static func prefix(_ word: UInt64, _ count: Int) -> UInt64 {
        word & ((1 &<< UInt64(count &* 8)) &- 1)
    }
}
