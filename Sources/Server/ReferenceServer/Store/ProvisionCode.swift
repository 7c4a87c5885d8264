import Cryptography
import Timekeeping

/// A single-use code that a device exchanges for a key of its own.
public struct ProvisionCode: Hashable, Sendable {
    /// Hours for which a code can be used.
    public static let validHours: Int64 = 24

    /// 100 random bits in five groups of four letters, without letters that look alike; shown once.
    public let text: String
    /// SHA-256 of its letters and digits, which is what is kept.
    public let hash: [UInt8]
    /// The only device that may use it; nil: any one.
    public var deviceID: String?

    /// Throws where the system gives no randomness.
    public init(deviceID: String? = nil) throws(CryptographyError) {
        let letters = try RandomBytes.make(Self.letterCount).map {
            Self.alphabet[Int($0) % Self.alphabet.count]
        }
        let groups = stride(from: 0, to: letters.count, by: 4).map {
            String(decoding: letters[$0..<min($0 + 4, letters.count)], as: UTF8.self)
        }
        text = groups.joined(separator: "-")
        hash = try Self.hash(of: text)
        self.deviceID = deviceID
    }

    private static let letterCount = 20
    /// 32 of them, so that a byte modulo their number favours none.
    private static let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789".utf8)

    /// Case, hyphens and spaces do not matter: people type it.
    static func hash(of text: String) throws(CryptographyError) -> [UInt8] {
        try SHA256.digest(of: Array(text.uppercased().utf8.filter(alphabet.contains)))
    }

    public static func end(issuedAt now: UTCTime) -> UTCTime {
        now.advanced(byMilliseconds: validHours * 3_600_000)
    }
}

/// Why a code gives no key; raw values are the `code` of the answer.
public enum ProvisionRefusal: String, Hashable, Sendable {
    case unknown = "code_unknown"
    case used = "code_used"
    case expired = "code_expired"
    case otherDevice = "device_mismatch"
}
