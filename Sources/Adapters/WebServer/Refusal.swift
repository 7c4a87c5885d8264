/// Why a request is answered without being handled.
public enum Refusal: Hashable, Sendable {
    /// The body is longer than the limit, which the value tells in bytes: 413.
    case bodyTooLarge(limit: Int)
    /// The request target is longer than so many bytes: 414.
    case targetTooLong(limit: Int)
    /// The header fields are longer than so many bytes: 431.
    case fieldsTooLarge(limit: Int)
    /// No Host field, more than one, or one that is none (RFC 9112, section 3.2): 400.
    case badHost
    /// Every worker of its lane is busy and the line before them is full: 503.
    case overloaded

    /// The answer of a server that does not speak a format of its own.
    public var plainResponse: Response {
        switch self {
        case .bodyTooLarge(let limit):
            Response(
                status: 413, headers: ["Content-Type": "text/plain"],
                body: Array("The body is longer than \(limit) bytes.\n".utf8))
        case .targetTooLong(let limit):
            Response(
                status: 414, headers: ["Content-Type": "text/plain"],
                body: Array("The target is longer than \(limit) bytes.\n".utf8))
        case .fieldsTooLarge(let limit):
            Response(
                status: 431, headers: ["Content-Type": "text/plain"],
                body: Array("The header fields are longer than \(limit) bytes.\n".utf8))
        case .badHost:
            Response(
                status: 400, headers: ["Content-Type": "text/plain"],
                body: Array("The request needs one Host field.\n".utf8))
        case .overloaded:
            Response(
                status: 503, headers: ["Content-Type": "text/plain", "Retry-After": "2"],
                body: Array("Too many requests at once.\n".utf8))
        }
    }
}
