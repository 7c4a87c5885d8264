import WebServer

/// A path of the server and what its methods do.
struct Route: Sendable {
    /// As it was written.
    var path: String
    var segments: [Segment]
    var endpoints: [String: Endpoint]

    /// `path` is written "/v1/admin/fences/{id}".
    init(_ path: String, _ endpoints: [String: Endpoint]) {
        self.path = path
        segments = path.split(separator: "/").map { part in
            part.hasPrefix("{") ? .parameter(String(part.dropFirst().dropLast())) : .literal(part)
        }
        self.endpoints = endpoints
    }

    enum Segment: Sendable {
        case literal(Substring)
        case parameter(String)
    }

    /// The parameters of a path that is this one; nil: it is another.
    func match(_ path: [String]) -> [String: String]? {
        guard path.count == segments.count else { return nil }
        var parameters: [String: String] = [:]
        for (segment, part) in zip(segments, path) {
            switch segment {
            case .literal(let text): if text != part { return nil }
            case .parameter(let name): parameters[name] = part
            }
        }
        return parameters
    }

    /// The methods that it has, for the Allow field.
    var allowedMethods: String {
        var methods = Set(endpoints.keys)
        if methods.contains("GET") { methods.insert("HEAD") }
        return methods.sorted().joined(separator: ", ")
    }
}

/// What one method of a path does, and for whom.
struct Endpoint: Sendable {
    var access: Access
    var run: @Sendable (Call) throws -> Response
    /// Whether the answer holds something that must not be kept.
    var isSecret = false
    /// Nil: a GET reads, everything else writes.
    var lane: WorkLane?

    func lane(of method: String) -> WorkLane { lane ?? (method == "GET" ? .reads : .writes) }

    enum Access: Hashable, Sendable {
        /// Without a key.
        case open
        /// A key of device scope and the id of the device.
        case device
        case admin
    }

    static func open(
        in lane: WorkLane? = nil, _ run: @escaping @Sendable (Call) throws -> Response
    ) -> Endpoint {
        Endpoint(access: .open, run: run, lane: lane)
    }

    static func device(
        in lane: WorkLane? = nil, _ run: @escaping @Sendable (Call) throws -> Response
    ) -> Endpoint {
        Endpoint(access: .device, run: run, lane: lane)
    }

    /// An administrator's whose answer is shown once.
    static func secret(_ run: @escaping @Sendable (Call) throws -> Response) -> Endpoint {
        Endpoint(access: .admin, run: run, isSecret: true)
    }

    static func admin(_ run: @escaping @Sendable (Call) throws -> Response) -> Endpoint {
        Endpoint(access: .admin, run: run)
    }
}
