/// What a transport received in answer to a batch, before anybody believes it.
public struct HTTPAnswer: Hashable, Sendable {
    public var status: Int
    /// `Content-Type`; nil: none.
    public var contentType: String?
    /// `Retry-After`; nil: none.
    public var retryAfter: String?
    /// `Date`; nil: none.
    public var date: String?
    public var body: [UInt8]
    /// Whether the body is all that the server sent: neither cut off nor over `bodyLimit`.
    public var isComplete: Bool
    /// Whether it is incomplete because it is larger than was allowed.
    public var isOverLimit: Bool

    public init(
        status: Int, contentType: String? = nil, retryAfter: String? = nil, date: String? = nil,
        body: [UInt8] = [], isComplete: Bool = true,
        isOverLimit: Bool = false
    ) {
        self.status = status
        self.contentType = contentType
        self.retryAfter = retryAfter
        self.date = date
        self.body = body
        self.isComplete = isComplete
        self.isOverLimit = isOverLimit
    }

    /// The largest body of a receipt, bytes.
    public static let bodyLimit = 256 * 1024

    /// Whether the content type is JSON: `application/json`, `application/problem+json`, ...
    public var isJSON: Bool {
        guard let contentType else { return false }
        let type = contentType.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        return type == "application/json"
            || (type.hasPrefix("application/") && type.hasSuffix("+json"))
    }
}
