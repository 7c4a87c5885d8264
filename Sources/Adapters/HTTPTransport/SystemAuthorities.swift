import CCurl
import LinuxSystem

/// The authorities that this machine trusts, as libcurl was built to find them.
enum SystemAuthorities {
    /// Whether its folder finds all of them by the hash of their names (openssl-rehash(1)), as
    /// Debian's does: then OpenSSL reads the one that it needs, instead of some 140 for each
    /// connection. False where the bundle, a single file, has more of them.
    static var areHashed: Bool {
        guard let version = curl_version_info(CURLVERSION_EIGHTH),
            let folder = version.pointee.capath, let bundle = version.pointee.cainfo
        else { return false }
        return areHashed(in: String(cString: folder), bundle: String(cString: bundle))
    }

    static func areHashed(in folder: String, bundle: String) -> Bool {
        guard let names = try? FolderListing.names(in: folder),
            let bytes = try? FileContents.read(bundle, limit: bundleLimit)
        else { return false }
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        let wanted = lines.reduce(0) { $0 + ($1.starts(with: certificateLine) ? 1 : 0) }
        return wanted > 0 && names.reduce(0) { $0 + (isHash($1) ? 1 : 0) } >= wanted
    }

    /// "4a6481c9.0"
    private static func isHash(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].utf8.count == 8 && parts[0].allSatisfy(\.isHexDigit)
            && Int(parts[1]) != nil
    }

    private static let certificateLine = Array("-----BEGIN CERTIFICATE-----".utf8)
    /// Bytes of a bundle at most; Debian's has 220 KiB.
    private static let bundleLimit = 4 * 1024 * 1024
}
