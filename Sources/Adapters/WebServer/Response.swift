/// One answer. Date and Content-Length are added when it is sent.
public struct Response: Hashable, Sendable {
    /// 200 ... 599
    public var status: Int
    public var headers: Headers
    public var body: [UInt8]

    public init(status: Int, headers: Headers = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
