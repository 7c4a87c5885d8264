import CCrypto

/// Comparisons whose duration tells nothing about where two secrets differ.
public enum ConstantTime {
    /// Whether both hold the same bytes; only a difference in length can be told by the time taken.
    public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}
