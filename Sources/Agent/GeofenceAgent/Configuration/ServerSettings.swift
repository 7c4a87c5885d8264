/// Where the fences come from and the events go.
public struct ServerSettings: Codable, Sendable {
    /// https; http only on loopback. Without a trailing slash.
    public var url: String
    /// Nil: `$CREDENTIALS_DIRECTORY/api-key`, else /etc/geofenced/api-key.
    public var keyFile: String?
    /// PEM file of the authorities to trust instead of the system's; nil: the system's.
    public var caFile: String?
    /// PEM files for mutual TLS; nil: none. Both or neither.
    public var clientCertificate: String?
    public var clientKey: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case url
        case keyFile = "key_file"
        case caFile = "ca_file"
        case clientCertificate = "client_certificate"
        case clientKey = "client_key"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        url = try container.decode(String.self, forKey: .url)
        while url.hasSuffix("/") { url.removeLast() }
        guard Self.isAllowed(url) else {
            throw DecodingError.dataCorruptedError(
                forKey: .url, in: container,
                debugDescription:
                    "'\(url)' is not allowed, allowed https://HOST or, on loopback only, http://HOST"
            )
        }
        keyFile = try container.decodePathIfPresent(forKey: .keyFile)
        caFile = try container.decodePathIfPresent(forKey: .caFile)
        clientCertificate = try container.decodePathIfPresent(forKey: .clientCertificate)
        clientKey = try container.decodePathIfPresent(forKey: .clientKey)
        if (clientCertificate == nil) != (clientKey == nil) {
            throw DecodingError.dataCorruptedError(
                forKey: clientKey == nil ? .clientCertificate : .clientKey, in: container,
                debugDescription: "client_certificate and client_key go together")
        }
    }

    /// Whether an address is https with a host, or http to loopback.
    static func isAllowed(_ url: String) -> Bool {
        if let rest = url.droppingPrefix("https://") {
            return !host(of: rest).isEmpty
        }
        guard let rest = url.droppingPrefix("http://") else { return false }
        let name = host(of: rest)
        return name == "localhost" || name == "[::1]" || isLoopbackAddress(name)
    }

    private static func host(of rest: Substring) -> Substring {
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        // Credentials in an address would end up in logs, and hide the host from the reader.
        guard !authority.contains("@") else { return "" }
        if authority.hasPrefix("[") {
            return authority.prefix { $0 != "]" } + "]"
        }
        return authority.prefix { $0 != ":" }
    }

    private static func isLoopbackAddress(_ host: Substring) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

extension String {
    fileprivate func droppingPrefix(_ prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}
