/// One request, complete with its body.
public struct Request: Sendable {
    /// As sent, "GET". A HEAD is answered like its GET: the body of the answer is left out.
    public var method: String
    /// The path as sent, still percent-encoded, without the query.
    public var path: String
    /// What follows the question mark, still encoded; nil: there is none.
    public var query: String?
    public var headers: Headers
    public var body: [UInt8]
    /// Numeric address of the peer without its port, "127.0.0.1".
    public var peer: String

    /// `target` is the request target of RFC 9112 section 3.2, in origin or absolute form.
    public init(
        method: String, target: String, headers: Headers = [:], body: [UInt8] = [],
        peer: String = ""
    ) {
        self.method = method
        (path, query) = Self.split(target)
        self.headers = headers
        self.body = body
        self.peer = peer
    }

    /// The decoded parts of the path, "/v1/fences/a%2Fb" giving ["v1", "fences", "a/b"].
    public var pathSegments: [String] {
        path.utf8.split(separator: UInt8(ascii: "/"))
            .map { PercentEncoding.decode($0, plusIsSpace: false) }
    }

    /// The decoded fields of the query in their order; a name without "=" has an empty value.
    public var queryItems: [(name: String, value: String)] {
        guard let query else { return [] }
        return query.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (
                PercentEncoding.decode(parts[0], plusIsSpace: true),
                parts.count > 1 ? PercentEncoding.decode(parts[1], plusIsSpace: true) : ""
            )
        }
    }

    /// The first value of a name in the query; nil: absent.
    public func queryValue(_ name: String) -> String? {
        queryItems.first { $0.name == name }?.value
    }

    private static func split(_ target: String) -> (path: String, query: String?) {
        var rest = target.utf8[...]
        if rest.first != UInt8(ascii: "/"), let authority = rest.after("://") {
            let path = authority.firstIndex(of: UInt8(ascii: "/")) ?? authority.endIndex
            rest = authority[path...]
        }
        guard let mark = rest.firstIndex(of: UInt8(ascii: "?")) else {
            return (String(Substring(rest)), nil)
        }
        return (
            String(Substring(rest[..<mark])),
            String(Substring(rest[rest.index(after: mark)...]))
        )
    }
}

extension Substring.UTF8View {
    /// What follows the first place of a text; nil: it is not there.
    fileprivate func after(_ text: String) -> Substring.UTF8View? {
        var rest = self
        while !rest.isEmpty {
            if rest.starts(with: text.utf8) { return rest.dropFirst(text.utf8.count) }
            rest = rest.dropFirst()
        }
        return nil
    }
}
