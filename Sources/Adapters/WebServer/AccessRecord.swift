/// What the access log may say of one request: never the query, which may hold a position.
public struct AccessRecord: Hashable, Sendable {
    public var peer: String
    public var method: String
    /// The path as sent, without the query.
    public var path: String
    /// Nil: the connection ended before an answer was given.
    public var status: Int?
    public var requestBytes: Int
    public var responseBytes: Int
    /// Seconds from the request line to the end of the answer.
    public var seconds: Double
    /// Whether the answer was handed to the network completely.
    public var isComplete: Bool
}
