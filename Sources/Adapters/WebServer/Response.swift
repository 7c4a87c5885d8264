/// One answer. Date and Content-Length are added when it is sent.
public struct Response: Hashable, Sendable {
    /// 200 ... 599
    public var status: Int
    public var headers: Headers
    public var body: [UInt8]
    /// Where it is made while it is sent, in the place of `body`; chunked, as its length is not known.
    public var stream: BodyStream?
    /// Seconds that it waits before it leaves, for those who guess keys.
    public var delaySeconds = 0.0

    public init(status: Int, headers: Headers = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
