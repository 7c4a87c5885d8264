import NMEA
import TestSupport
import Testing

@Suite("How the bytes are cut changes nothing")
struct ChunkingTests {
    /// Sentences, frames and rubbish in a random order.
    static func stream(seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        var bytes: [UInt8] = []
        var second = 0
        for _ in 0..<200 {
            let time = "10\(10 + second / 60 % 50)\(10 + second % 50)"
            switch Int.random(in: 0..<12, using: &random) {
            case 0: bytes += BinarySample.ubx(payload: noise(&random, 300))
            case 1: bytes += BinarySample.rtcm(payload: noise(&random, 300))
            case 2: bytes += [0xB5, 0x62, 1, 7, UInt8.random(in: 0...255, using: &random), 1]
            case 3: bytes += [0xD3, 0, UInt8.random(in: 0...255, using: &random)]
            case 4: bytes += noise(&random, 40)
            case 5:
                bytes += lines([Sample.gga(time)]).prefix(Int.random(in: 1..<60, using: &random))
            case 6: bytes += Array("$".utf8) + [UInt8](repeating: 0x41, count: 300)
            case 7: bytes += lines([Sample.gsa(mode: 3), "GPGSV,1,1,01,05,40,083,46"])
            case 8: bytes += lines(["GNRMC,,V,,,,,,,,,,N"])
            default:
                second += 1
                bytes += lines([Sample.rmc(time), Sample.gga(time)])
            }
        }
        return bytes
    }

    private static func noise(_ random: inout SeededGenerator, _ most: Int) -> [UInt8] {
        (0..<Int.random(in: 0...most, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
    }

    static func randomPieces(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [ArraySlice<
        UInt8
    >] {
        var rest = bytes[...]
        var pieces: [ArraySlice<UInt8>] = []
        while !rest.isEmpty {
            let most = Bool.random(using: &random) ? 5 : 900
            pieces.append(rest.prefix(Int.random(in: 0...most, using: &random)))
            rest = rest.dropFirst(pieces.last?.count ?? 0)
        }
        return pieces
    }

    @Test("random streams in random pieces", arguments: UInt64(1)...12)
    func randomStreams(seed: UInt64) {
        print("ChunkingTests.randomStreams seed \(seed)")
        var random = SeededGenerator(seed: seed &* 7919)
        let bytes = Self.stream(seed: seed)
        let whole = decode(bytes)
        #expect(whole.counters.fixes > 10)
        #expect(whole.counters.ubxFrames > 0)
        for size in [1, 2, 7, 64, 513] {
            let pieces = stride(from: 0, to: bytes.count, by: size).map {
                bytes[$0..<min($0 + size, bytes.count)]
            }
            #expect(decode(pieces: pieces) == whole, "seed \(seed), pieces of \(size)")
        }
        for _ in 0..<5 {
            #expect(decode(pieces: Self.randomPieces(bytes, &random)) == whole, "seed \(seed)")
        }
    }
}
