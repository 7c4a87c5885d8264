import Delivery

extension DoctorFacts {
    /// The way to the server, step by step.
    public struct Server: Hashable, Sendable {
        public var url: String
        public var isEncrypted: Bool
        public var route: Route
        public var name: Name
        public var connection: Connection
        public var health: Answer
        public var authorisation: Answer

        public init(
            url: String, isEncrypted: Bool, route: Route, name: Name, connection: Connection,
            health: Answer, authorisation: Answer
        ) {
            self.url = url
            self.isEncrypted = isEncrypted
            self.route = route
            self.name = name
            self.connection = connection
            self.health = health
            self.authorisation = authorisation
        }
    }

    public enum Route: Hashable, Sendable {
        /// Network interfaces with a default route.
        case present(interfaces: [String])
        case absent
        /// The server is on this machine.
        case notNeeded
        case unknown(reason: String)
    }

    public enum Name: Hashable, Sendable {
        case resolved(host: String, addresses: [String], milliseconds: Int)
        /// The URL holds an address.
        case literal(host: String)
        case failed(host: String, reason: String)
        case timedOut(host: String, seconds: Int)
    }

    public enum Connection: Hashable, Sendable {
        case connected(address: String, milliseconds: Int)
        case refused(address: String)
        case timedOut(address: String, milliseconds: Int)
        case failed(address: String, reason: String)
        case notTried(reason: String)
    }

    /// The answer to one request.
    public enum Answer: Hashable, Sendable {
        /// `code` of a problem document; `isJSON`: of a JSON content type.
        case answered(status: Int, isJSON: Bool, code: String?, milliseconds: Int)
        case failed(ConnectivityState, reason: String)
        case notTried(reason: String)
    }
}
