import CCrypto

/// SHA-256 (FIPS 180-4), in one call or piece by piece.
///
/// The running hash lives in libcrypto and is freed with this value.
public struct SHA256: ~Copyable {
    /// Bytes of a digest.
    public static let digestByteCount = 32

    private let context: OpaquePointer

    /// Found once: OpenSSL looks `EVP_sha256()` up anew for each digest, which costs more than the
    /// digest of a short text.
    private static let algorithm = Algorithm(pointer: EVP_MD_fetch(nil, "SHA256", nil))

    /// Sendable because nobody writes to it and it is never freed; libcrypto counts its references
    /// with atomic operations.
    private struct Algorithm: @unchecked Sendable {
        /// Nil: there is no SHA-256.
        let pointer: OpaquePointer?
    }

    /// Throws when libcrypto has no memory or no SHA-256.
    public init() throws(CryptographyError) {
        guard let made = EVP_MD_CTX_new() else { throw .unavailable("EVP_MD_CTX_new") }
        guard Self.algorithm.pointer != nil,
            EVP_DigestInit_ex(made, Self.algorithm.pointer, nil) == 1
        else {
            EVP_MD_CTX_free(made)
            throw .unavailable("EVP_DigestInit_ex")
        }
        context = made
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// Adds bytes to what is hashed.
    public mutating func update(_ bytes: some Sequence<UInt8>) throws(CryptographyError) {
        let pointed = bytes.withContiguousStorageIfAvailable { buffer in
            EVP_DigestUpdate(context, buffer.baseAddress, buffer.count)
        }
        let status = pointed ?? copy(Array(bytes))
        guard status == 1 else { throw .unavailable("EVP_DigestUpdate") }
    }

    /// The digest of everything that was added: 32 bytes.
    public consuming func finish() throws(CryptographyError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Self.digestByteCount)
        guard EVP_DigestFinal_ex(context, &digest, nil) == 1 else {
            throw .unavailable("EVP_DigestFinal_ex")
        }
        return digest
    }

    /// The digest of `bytes`: 32 bytes.
    public static func digest(of bytes: some Sequence<UInt8>) throws(CryptographyError) -> [UInt8] {
        var hash = try SHA256()
        try hash.update(bytes)
        return try hash.finish()
    }

    /// The digest of `bytes`: 32 bytes.
    public static func digest(of bytes: [UInt8]) throws(CryptographyError) -> [UInt8] {
        let hash = try SHA256()
        guard hash.copy(bytes) == 1 else { throw .unavailable("EVP_DigestUpdate") }
        return try hash.finish()
    }

    /// Hands the 32 bytes of the digest of `bytes` to `read`, without an array for them.
    public static func withDigest<Result>(
        of bytes: [UInt8], _ read: (UnsafeRawBufferPointer) -> Result
    ) throws(CryptographyError) -> Result {
        let hash = try SHA256()
        guard hash.copy(bytes) == 1 else { throw .unavailable("EVP_DigestUpdate") }
        return try hash.withFinished(read)
    }

    /// Hands the 32 bytes of the digest of `bytes` to `read`, without an array for them.
    public static func withDigest<Result>(
        of bytes: UnsafeRawBufferPointer, _ read: (UnsafeRawBufferPointer) -> Result
    ) throws(CryptographyError) -> Result {
        let hash = try SHA256()
        guard EVP_DigestUpdate(hash.context, bytes.baseAddress, bytes.count) == 1 else {
            throw .unavailable("EVP_DigestUpdate")
        }
        return try hash.withFinished(read)
    }

    private consuming func withFinished<Result>(
        _ read: (UnsafeRawBufferPointer) -> Result
    ) throws(CryptographyError) -> Result {
        var digest = SIMD32<UInt8>()
        let status = withUnsafeMutableBytes(of: &digest) {
            EVP_DigestFinal_ex(context, $0.assumingMemoryBound(to: UInt8.self).baseAddress, nil)
        }
        guard status == 1 else { throw .unavailable("EVP_DigestFinal_ex") }
        return withUnsafeBytes(of: digest, read)
    }

    private func copy(_ bytes: [UInt8]) -> Int32 {
        EVP_DigestUpdate(context, bytes, bytes.count)
    }
}
