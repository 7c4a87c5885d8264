/// A request while it arrives: a value that counts, so that the limits are decided in one place.
struct RequestIntake {
    let limits: ServerLimits
    private(set) var target: String
    private(set) var head: Request?
    private(set) var body: [UInt8] = []
    private(set) var receivedBytes = 0

    init(target: String, limits: ServerLimits) {
        self.target = target
        self.limits = limits
    }

    var isTooLarge: Bool { receivedBytes > limits.bodyBytes || announcedTooLarge }

    private var announcedTooLarge = false

    /// Takes the header; the refusal is to be sent at once, without reading the body.
    mutating func begin(method: String, headers: Headers, peer: String) -> Refusal? {
        head = Request(method: method, target: target, headers: headers, peer: peer)
        guard target.utf8.count <= limits.targetBytes else {
            return .targetTooLong(limit: limits.targetBytes)
        }
        guard headers.byteCount <= limits.fieldBytes else {
            return .fieldsTooLarge(limit: limits.fieldBytes)
        }
        guard headers.count(of: "Host") == 1, Self.isHost(headers["Host"] ?? "") else {
            return .badHost
        }
        guard let announced = headers["Content-Length"].flatMap({ UInt64($0) }),
            announced > UInt64(limits.bodyBytes)
        else { return nil }
        announcedTooLarge = true
        // A client that asked first has sent nothing that would have to be read away.
        let asksFirst = headers["Expect"]?.equalsIgnoringCase("100-continue") ?? false
        return asksFirst || announced > UInt64(limits.drainedBytes)
            ? .bodyTooLarge(limit: limits.bodyBytes) : nil
    }

    /// A name or address with or without a port (RFC 9110, section 7.2): what an authority may hold,
    /// and no user.
    static func isHost(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-._~%!$&'()*+,;=:[]".utf8.contains(byte)
                }
            }
    }

    /// Takes a piece of the body; false: the connection is to be cut.
    mutating func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
        receivedBytes += piece.count
        if isTooLarge {
            body = []
        } else {
            body.append(contentsOf: piece)
        }
        return receivedBytes <= limits.drainedBytes
    }

    /// The request with all of its body; nil before the header is there.
    mutating func finish() -> Request? {
        guard var request = head else { return nil }
        request.body = body
        body = []
        return request
    }
}
