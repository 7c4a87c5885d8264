import Delivery

/// One request to the configured server.
public struct HTTPRequest: Sendable {
    public var method: Method
    /// Begins with a slash; holds no coordinates.
    public var path: String
    /// Nil: no body.
    public var body: [UInt8]?
    /// Besides those that every request carries.
    public var headers: [(name: String, value: String)]
    /// Largest body of an answer, bytes after inflation.
    public var answerLimit: Int
    /// From the first byte sent to the last received, connecting included, seconds.
    public var timeoutSeconds: Double

    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    public init(
        _ method: Method, _ path: String, body: [UInt8]? = nil,
        headers: [(name: String, value: String)] = [],
        answerLimit: Int = HTTPAnswer.bodyLimit, timeoutSeconds: Double = 30
    ) {
        self.method = method
        self.path = path
        self.body = body
        self.headers = headers
        self.answerLimit = answerLimit
        self.timeoutSeconds = timeoutSeconds
    }
}

/// How a request ended.
public enum HTTPOutcome: Sendable {
    /// An HTTP answer, whoever gave it, with its headers by lower-case name.
    case answered(HTTPAnswer, headers: [String: String])
    /// No answer.
    case failed(ConnectivityState, reason: String)
    /// Stopped from this side.
    case stopped
}
