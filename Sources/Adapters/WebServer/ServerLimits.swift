/// What a server grants its clients.
public struct ServerLimits: Hashable, Sendable {
    /// Bytes of a request's body, as sent.
    public var bodyBytes = 1_048_576
    /// Bytes of a body that is too long which are still read, so that the client gets to read its
    /// 413 instead of a reset connection.
    public var drainedBytes = 16_777_216
    /// Seconds for the header and body of one request; every KiB that arrives adds one second.
    public var requestSeconds = 15.0
    /// Seconds for an answer to leave; every KiB of it adds one second.
    public var answerSeconds = 15.0
    /// Seconds that a connection may wait between two requests.
    public var idleSeconds = 60.0
    /// Bytes of the request target.
    public var targetBytes = 8_192
    /// Bytes of all header fields.
    public var fieldBytes = 16_384
    /// Bytes of request line and header together for which there is room. What is longer never
    /// reaches this program's own refusals: the library answers it, in a form of its own, or cuts.
    public var headerBytes = 32_768
    public var connections = 1_000
    public var connectionsPerAddress = 200
    /// Threads that speak HTTP.
    public var networkThreads = 2
    /// Requests of one lane that are handled at the same time.
    public var workers = 16
    /// Requests that wait for a worker of their lane; one more is refused as `overloaded`.
    public var waitingRequests = 256

    public init() {}
}
