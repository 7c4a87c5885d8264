import CCrypto

/// Bytes that nobody can guess, from libcrypto's generator (`RAND_bytes`).
public enum RandomBytes {
    /// Most bytes that one call gives.
    public static let maximumCount = 1 << 20

    /// `count` bytes, clamped to 0 ... `maximumCount`. Throws where the system has no entropy.
    public static func make(_ count: Int) throws(CryptographyError) -> [UInt8] {
        let clamped = min(max(count, 0), maximumCount)
        var bytes = [UInt8](repeating: 0, count: clamped)
        guard clamped == 0 || RAND_bytes(&bytes, Int32(clamped)) == 1 else {
            throw .unavailable("RAND_bytes")
        }
        return bytes
    }
}
