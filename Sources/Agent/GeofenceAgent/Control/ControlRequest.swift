import Delivery
import Geofencing
import WireFormat

/// One line that the command line sends to the running agent, as JSON.
public struct ControlRequest: Codable, Sendable, Hashable {
    public var command: Command
    /// `events`: only events with a greater sequence number of the current epoch; `watch`: these
    /// come first.
    public var since: Int64?
    /// `watch`: go on after these sequence numbers, by epoch; all events of other epochs come first.
    /// It takes precedence over `since`.
    public var positions: [String: Int64]?
    /// `events`: at most so many, 1 ... `ControlResponder.greatestLimit`.
    public var limit: Int?
    /// `explain`: the sequence number or the client event id; `explain_fence`: the fence's id.
    public var subject: String?
    /// `mark`: what to note.
    public var mark: Mark?
    /// `watch`: also every fix with its verdict.
    public var fixes: Bool?
    /// `add_fences`: in wire form.
    public var fences: [WireFence]?
    /// `remove_fences`: ids.
    public var ids: [String]?
    /// `flush`: how long to wait for the end of it, seconds.
    public var timeoutSeconds: Double?

    public init(
        _ command: Command, since: Int64? = nil, positions: [String: Int64]? = nil,
        limit: Int? = nil, fixes: Bool? = nil
    ) {
        self.command = command
        self.since = since
        self.positions = positions
        self.limit = limit
        self.fixes = fixes
    }

    public enum Command: String, Codable, Sendable, CaseIterable {
        case status, events, watch, mark, explain, fences, flush
        case explainFence = "explain_fence"
        case addFences = "add_fences"
        case removeFences = "remove_fences"

        /// Throws with the commands that are known.
        public init(from decoder: any Decoder) throws {
            let text = try decoder.singleValueContainer().decode(String.self)
            guard let command = Command(rawValue: text) else {
                let known = Self.allCases.map(\.rawValue).joined(separator: ", ")
                throw WireError(
                    pointer: WireError.pointer(decoder.codingPath),
                    detail: "'\(text.prefix(40))' is no command, known here: \(known)")
            }
            self = command
        }

        /// Whether only an administrator may ask for it.
        public var isChange: Bool {
            switch self {
            case .status, .events, .watch, .explain, .explainFence, .fences: false
            case .mark, .addFences, .removeFences, .flush: true
            }
        }
    }

    /// What a person saw.
    public struct Mark: Codable, Sendable, Hashable {
        /// Bytes of each text at most.
        public static let greatestLength = 1024

        public var label: String?
        public var fence: String?
        public var kind: String?

        public init(label: String?, fence: String?, kind: String?) {
            self.label = label
            self.fence = fence
            self.kind = kind
        }

        /// Why it is no mark.
        public enum Defect: Hashable, Sendable, CustomStringConvertible {
            case emptyLabel, fenceWithoutKind, kindWithoutFence
            /// The member of the request.
            case tooLong(String)
            case unknownKind(String)

            public var description: String {
                switch self {
                case .emptyLabel: "label: empty"
                case .tooLong(let name): "\(name): too long, allowed \(Mark.greatestLength) bytes"
                case .fenceWithoutKind: "fence: needs kind"
                case .kindWithoutFence: "kind: needs fence"
                case .unknownKind(let kind): "kind: '\(kind.prefix(40))' is not known"
                }
            }
        }

        /// What is wrong with it, whatever the agent knows; nil: nothing.
        public var defect: Defect? {
            let label = label ?? ""
            if label.utf8.allSatisfy({ $0 <= 0x20 }) { return .emptyLabel }
            for (name, text) in [("label", label), ("fence", fence ?? ""), ("kind", kind ?? "")]
            where text.utf8.count > Self.greatestLength {
                return .tooLong(name)
            }
            guard let kind else { return fence == nil ? nil : .fenceWithoutKind }
            if fence == nil { return .kindWithoutFence }
            return Transition.Kind(rawValue: kind) == nil ? .unknownKind(kind) : nil
        }
    }
}

/// What the agent answers where it cannot do what it was asked.
public struct ControlFailure: Codable, Sendable, Hashable {
    public var error: Description

    public init(_ code: Code, message: String, defects: [Problem.Defect]? = nil) {
        error = Description(code: code.rawValue, message: message, defects: defects)
    }

    public struct Description: Codable, Sendable, Hashable {
        public var code: String
        public var message: String
        /// `invalid_fence`: each defect with its place, `/fences/0/...`.
        public var defects: [Problem.Defect]?
    }

    public enum Code: String, Sendable, CaseIterable {
        /// The request is not understood, or a value of it is out of range.
        case badRequest = "bad_request"
        /// A change that this user may not make.
        case forbidden
        /// A fence that cannot be monitored, an id that is taken, or one too many.
        case invalidFence = "invalid_fence"
        /// The storage does not answer now.
        case storage
        /// As many clients as the socket takes are connected already.
        case tooManyClients = "too_many_clients"
        /// There is no recording to mark.
        case notRecording = "not_recording"
        /// There is no server to send anything to.
        case noServer = "no_server"
        /// No event, or no fence, of that name is known.
        case notFound = "not_found"
        case `internal`
    }

    /// Whether the same request may succeed later.
    public var isTransient: Bool {
        error.code == Code.storage.rawValue || error.code == Code.tooManyClients.rawValue
    }
}

/// The last line of an answer of several lines: without it, the answer was cut off.
public struct ControlEnd: Codable, Sendable, Hashable {
    public var end: Summary

    public init(count: Int, unreadable: Int = 0) {
        end = Summary(count: count, unreadable: unreadable > 0 ? unreadable : nil)
    }

    public struct Summary: Codable, Sendable, Hashable {
        /// Lines before this one.
        public var count: Int
        /// Stored events that cannot be read and are not among the lines; nil: none.
        public var unreadable: Int?
    }
}

/// The first line of `watch`: from where it goes on. `kind` is "hello".
public struct WatchHello: Codable, Sendable, Hashable {
    public var kind = "hello"
    public var schema = "geofenced.watch/1"
    /// The epoch whose sequence numbers go on from here.
    public var queueEpoch: String
    /// The last sequence number of each epoch of which events are kept, as this line was made.
    public var positions: [String: Int64]

    enum CodingKeys: String, CodingKey {
        case kind, schema, positions
        case queueEpoch = "queue_epoch"
    }

    public init(_ positions: QueuePositions) {
        queueEpoch = positions.current
        self.positions = positions.last
    }
}
