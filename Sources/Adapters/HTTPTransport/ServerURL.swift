import CCurl

/// The address of a server: https anywhere, http on loopback alone.
public struct ServerURL: Hashable, Sendable, CustomStringConvertible {
    /// Without a slash at its end.
    public let text: String
    public let host: String
    /// As given, else that of the scheme.
    public let port: Int
    public let isEncrypted: Bool
    /// Whether the server is on this machine, whatever its network looks like.
    public var isLoopback: Bool { Self.isLoopback(host) }

    /// Throws where the text is no such address. Credentials, a query and a fragment are refused.
    public init(_ text: String) throws(ServerURLError) {
        guard let url = curl_url() else { throw .unreadable(text) }
        defer { curl_url_cleanup(url) }
        guard curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: url),
            let host = Self.part(CURLUPART_HOST, of: url)
        else { throw .unreadable(text) }
        for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY, CURLUPART_FRAGMENT]
        where Self.part(part, of: url) != nil {
            throw .tooMuch(host: host)
        }
        switch scheme {
        case "https": isEncrypted = true
        case "http" where Self.isLoopback(host): isEncrypted = false
        case "http": throw .plainTextToOtherMachine(host: host)
        default: throw .unsupportedScheme(scheme)
        }
        self.host = host
        port = Self.part(CURLUPART_PORT, of: url).flatMap { Int($0) } ?? (isEncrypted ? 443 : 80)
        let trimmed = text.reversed().drop { $0 == "/" }.reversed()
        self.text = String(trimmed)
    }

    public var description: String { text }

    /// `path` begins with a slash.
    func appending(_ path: String) -> String { text + path }

    private static func part(_ part: CURLUPart, of url: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(url, part, &text, 0) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }

    /// `localhost`, 127.0.0.0/8 and ::1.
    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

/// Why a text is no address of a server.
public enum ServerURLError: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable(String)
    case unsupportedScheme(String)
    case plainTextToOtherMachine(host: String)
    /// Credentials, a query or a fragment.
    case tooMuch(host: String)

    public var description: String {
        switch self {
        case .unreadable(let text): "'\(text.prefix(200))' is not a URL"
        case .unsupportedScheme(let scheme): "'\(scheme)' is neither https nor http"
        case .plainTextToOtherMachine(let host): "http to \(host): only https leaves this machine"
        case .tooMuch(let host): "the URL of \(host) may hold only scheme, host, port and path"
        }
    }
}
