import Cryptography
import Timekeeping

/// A new key with its text, which is shown once and kept nowhere.
public struct IssuedKey: Sendable {
    /// "gk_live_" and 64 hex digits: 256 random bits, so one hash without salt is enough.
    public let text: String
    public let draft: KeyDraft

    /// Throws where the system gives no randomness.
    public init(
        _ scope: KeyScope, deviceID: String? = nil, expiresAt: UTCTime? = nil
    ) throws(CryptographyError) {
        text = "gk_\(scope.rawValue)_" + Hexadecimal.encode(try RandomBytes.make(32))
        draft = KeyDraft(
            scope: scope, hash: try Self.hash(of: text), lastFour: String(text.suffix(4)),
            deviceID: deviceID, expiresAt: expiresAt)
    }

    /// Whether a text can be the id of a device: 1 to 64 characters of A-Z a-z 0-9 . _ -
    public static func isDeviceID(_ text: String) -> Bool { Authentication.isDeviceID(text) }

    /// What the store looks a key up by.
    static func hash(of text: String) throws(CryptographyError) -> [UInt8] {
        try SHA256.digest(of: Array(text.utf8))
    }
}
