import Cryptography
import Testing

@Suite("SHA-256")
struct SHA256Tests {
    /// NIST "Secure Hash Standard" examples, and the empty message.
    static let vectors: [(String, String)] = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ]

    @Test("a digest is the one of the standard", arguments: vectors)
    func matchesTheStandard(message: String, digest: String) throws {
        #expect(try Hexadecimal.encode(SHA256.digest(of: message.utf8)) == digest)
    }

    @Test("pieces of any size give the digest of the whole", arguments: [1, 3, 63, 64, 65, 1000])
    func isIncremental(pieceSize: Int) throws {
        let message = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var hash = try SHA256()
        for start in stride(from: 0, to: message.count, by: pieceSize) {
            try hash.update(message[start..<min(start + pieceSize, message.count)])
        }
        let digest = try hash.finish()
        #expect(try digest == SHA256.digest(of: message))
        #expect(digest.count == SHA256.digestByteCount)
    }

    @Test("a sequence without contiguous storage is hashed as well")
    func takesAnySequence() throws {
        let lazy = sequence(first: UInt8(1)) { $0 < 9 ? $0 + 1 : nil }
        #expect(try SHA256.digest(of: lazy) == SHA256.digest(of: [1, 2, 3, 4, 5, 6, 7, 8, 9]))
    }
}
