import Compression
import Foundation
import Testing

@Suite("gzip")
struct GzipTests {
    static let samples: [[UInt8]] = [
        [], [0], Array("hello hello hello".utf8), [UInt8](repeating: 7, count: 100_000),
        (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) },
    ]

    @Test("gives back what went in", arguments: samples)
    func roundTrip(bytes: [UInt8]) throws {
        let packed = try Gzip.compress(bytes)
        #expect(packed.starts(with: [0x1f, 0x8b]))
        #expect(try Gzip.decompress(packed, limit: bytes.count) == bytes)
    }

    @Test("reads what the gzip program writes, several members too")
    func golden() throws {
        // printf hi | gzip -n | xxd -p
        let hi: [UInt8] = [
            0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0xcb, 0xc8, 0x04, 0, 0xac, 0x2a, 0x93, 0xd8,
            2, 0, 0, 0,
        ]
        #expect(try Gzip.decompress(hi, limit: 10) == Array("hi".utf8))
        #expect(try Gzip.decompress(hi + hi, limit: 10) == Array("hihi".utf8))
    }

    @Test("stops a bomb at the limit", arguments: [0, 1, 1000, 999_999])
    func bomb(limit: Int) throws {
        let bomb = try Gzip.compress([UInt8](repeating: 0, count: 1_000_000))
        #expect(bomb.count < 2000)
        #expect(error(bomb, limit: limit) == .tooLarge(limit: limit))
        #expect(error(bomb + bomb, limit: 1_500_000) == .tooLarge(limit: 1_500_000))
    }

    @Test("refuses every cut and every flipped byte of the checksum")
    func damage() throws {
        let packed = try Gzip.compress(Array("some text, some text".utf8))
        for count in 0..<packed.count {
            #expect(error(Array(packed[..<count])) == .truncated, "cut at \(count)")
        }
        for index in packed.count - 8..<packed.count {
            var flipped = packed
            flipped[index] ^= 1
            #expect(error(flipped) == .damaged)
        }
        #expect(error(Array("plain".utf8)) == .damaged)
        #expect(error(packed + [1, 2, 3]) != nil)
    }

    private func error(_ bytes: [UInt8], limit: Int = 1 << 20) -> CompressionError? {
        do {
            _ = try Gzip.decompress(bytes, limit: limit)
            return nil
        } catch {
            return error
        }
    }
}
