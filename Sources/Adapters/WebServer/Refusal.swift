/// Why a request is answered without being handled.
public enum Refusal: Hashable, Sendable {
    /// The body is longer than the limit, which the value tells in bytes: 413.
    case bodyTooLarge(limit: Int)
    /// Every worker is busy and the line before them is full: 503.
    case overloaded

    /// The answer of a server that does not speak a format of its own.
    public var plainResponse: Response {
        switch self {
        case .bodyTooLarge(let limit):
            Response(
                status: 413, headers: ["Content-Type": "text/plain"],
                body: Array("The body is longer than \(limit) bytes.\n".utf8))
        case .overloaded:
            Response(
                status: 503, headers: ["Content-Type": "text/plain", "Retry-After": "2"],
                body: Array("Too many requests at once.\n".utf8))
        }
    }
}
