import TestSupport
import Testing

@testable import FieldTools

@Suite("UTF-16 logs read as their 8-bit twins")
struct UTF16FilterTests {
    private func pass(_ bytes: [UInt8], piece: Int) -> [UInt8] {
        var filter = UTF16Filter()
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: piece) {
            bytes[start..<min(start + piece, bytes.count)].withUnsafeBytes {
                filter.pass($0) { result += $0 }
            }
        }
        filter.finish { result += $0 }
        return result
    }

    @Test(
        "with a mark both byte orders are converted, without one nothing is",
        arguments: [
            ([0xFF, 0xFE, 0x24, 0, 0x0A, 0], [0x24, 0x0A]),
            ([0xFE, 0xFF, 0, 0x24, 0, 0x0A], [0x24, 0x0A]),
            ([0xFF, 0xFE, 0xE9, 0, 0x3D, 0xD8, 0x24], [0x1A, 0x1A]),
            ([0x24, 0, 0x0A, 0], [0x24, 0, 0x0A, 0]), ([0xFF], [0xFF]), ([], []),
            ([0xFE, 0x24], [0xFE, 0x24]),
            ([0xFF, 0xFE], []),
        ] as [([UInt8], [UInt8])])
    func forms(input: [UInt8], output: [UInt8]) {
        for piece in [1, 2, 3, 100] { #expect(pass(input, piece: piece) == output) }
    }

    @Test(
        "GPSBabel's UTF-16 log gives the fixes of its twin",
        .enabled(
            if: SharedFolder.path("corpora/field/gpsbabel/nmea_utf16") != nil,
            "the shared corpora are not here"))
    func twins() throws {
        let wide = try #require(SharedFolder.bytes("corpora/field/gpsbabel/nmea_utf16"))
        let narrow = try #require(SharedFolder.bytes("corpora/field/gpsbabel/nmea"))
        let fixes = LogDecoder.epochs(of: narrow)
        #expect(fixes.count == 154)
        #expect(LogDecoder.epochs(of: wide) == fixes)
    }
}
