/// One line that the command line sends to the running agent, as JSON.
public struct ControlRequest: Codable, Sendable, Hashable {
    public var command: Command
    /// `events`: only events with a greater sequence number; `watch`: these come first.
    public var since: Int64?
    /// `events`: at most so many, 1 ... `ControlProtocol.greatestLimit`.
    public var limit: Int?
    /// `watch`: also every fix with its verdict.
    public var fixes: Bool?

    public init(_ command: Command, since: Int64? = nil, limit: Int? = nil, fixes: Bool? = nil) {
        self.command = command
        self.since = since
        self.limit = limit
        self.fixes = fixes
    }

    public enum Command: String, Codable, Sendable, CaseIterable {
        case status, events, watch
    }
}

/// What the agent answers where it cannot do what it was asked.
public struct ControlFailure: Codable, Sendable, Hashable {
    public var error: Description

    public init(code: String, message: String) {
        error = Description(code: code, message: message)
    }

    public struct Description: Codable, Sendable, Hashable {
        public var code: String
        public var message: String
    }
}
