import Cryptography
import Testing

@Suite("Secret bytes")
struct SecretBytesTests {
    @Test(
        "random bytes have the wanted count, clamped",
        arguments: [
            (-1, 0), (0, 0), (1, 1), (32, 32),
            (RandomBytes.maximumCount + 1, RandomBytes.maximumCount),
        ])
    func countsBytes(wanted: Int, given: Int) throws {
        #expect(try RandomBytes.make(wanted).count == given)
    }

    @Test("two draws of 16 bytes differ")
    func neverRepeats() throws {
        #expect(try RandomBytes.make(16) != RandomBytes.make(16))
    }

    @Test(
        "equal means the same bytes and the same length",
        arguments: [
            ([], [], true), ([1, 2], [1, 2], true), ([1, 2], [1, 3], false),
            ([0, 2], [1, 2], false),
            ([1, 2], [1, 2, 0], false), ([], [0], false),
        ] as [([UInt8], [UInt8], Bool)])
    func comparesInConstantTime(left: [UInt8], right: [UInt8], equal: Bool) {
        #expect(ConstantTime.areEqual(left, right) == equal)
    }

    @Test(
        "hexadecimal text of either case is read",
        arguments: [
            ("", []), ("00ff", [0, 255]), ("DeadBEEF", [0xDE, 0xAD, 0xBE, 0xEF]),
        ] as [(String, [UInt8])])
    func decodesHexadecimal(text: String, bytes: [UInt8]) {
        #expect(Hexadecimal.decode(text) == bytes)
        #expect(Hexadecimal.encode(bytes) == text.lowercased())
    }

    @Test("anything else is not hexadecimal", arguments: ["0", "0g", "+1", " 00", "0x00", "é0"])
    func refusesOtherText(text: String) {
        #expect(Hexadecimal.decode(text) == nil)
    }
}
