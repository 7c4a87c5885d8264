import NMEA
import TestSupport
import Testing

@Suite("Damaged bytes never crash the decoder, and hardly ever move a position")
struct DamageTests {
    /// One byte in 200 replaced.
    static func damaged(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        bytes.map { byte in
            UInt64.random(in: 0..<200, using: &random) == 0
                ? UInt8.random(in: 0...255, using: &random) : byte
        }
    }

    @Test("random damage to a drive", arguments: UInt64(1)...4)
    func drive(seed: UInt64) {
        print("DamageTests.drive seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let bodies = (0..<2000).flatMap { index -> [String] in
            let minute = 10 + index / 60 % 50
            let second = index % 60
            let time = "10\(minute)\(second < 10 ? "0" : "")\(second)"
            return [Sample.rmc(time), Sample.gga(time), Sample.gsa(mode: 3)]
        }
        let decoded = decode(Self.damaged(lines(bodies), &random))
        #expect(decoded.counters.fixes > 1500)
        #expect(decoded.counters.rejected > 500)
        let moved = decoded.fixes.compactMap(\.coordinate).filter {
            abs($0.latitude - 47.5) > 0.01 || abs($0.longitude - 11.25) > 0.01
        }
        #expect(moved.count <= 1, "seed \(seed)")
    }

    @Test("pure noise", arguments: UInt64(1)...4)
    func noise(seed: UInt64) {
        print("DamageTests.noise seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("$*,.0123456789AGNRMCSV-\r\n".utf8) + [0xB5, 0x62, 0xD3, 0x00]
        let bytes = (0..<60_000).compactMap { _ in alphabet.randomElement(using: &random) }
        let whole = decode(bytes)
        #expect(whole.counters.bytes == bytes.count)
        #expect(decode(pieces: ChunkingTests.randomPieces(bytes, &random)).fixes == whole.fixes)
    }
}
