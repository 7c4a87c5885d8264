import Foundation
import TestSupport
import Testing
import WireFormat

@Suite("Base64")
struct Base64Tests {
    @Test(
        "the examples of RFC 4648, section 10",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ])
    func examples(text: String, encoded: String) {
        #expect(Base64.text(of: Array(text.utf8)) == encoded)
        #expect(Base64.bytes(of: encoded) == Array(text.utf8))
    }

    @Test(
        "what is not base64 is nil",
        arguments: [
            "Z", "Zg", "Zg=", "Zg===", "Z===", "====", "Zg==Zg==", "Z g=", "Zm9v\n", "Zm-_", "Zm9é",
            "=Zg=", "Z=g=",
        ])
    func refused(text: String) {
        #expect(Base64.bytes(of: text) == nil)
    }

    @Test("random bytes have the text that Foundation writes, and come back")
    func randomBytes() {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            let text = Base64.text(of: bytes)
            #expect(text == Data(bytes).base64EncodedString())
            #expect(Base64.bytes(of: text) == bytes)
        }
    }
}
