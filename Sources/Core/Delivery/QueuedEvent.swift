import Timekeeping

/// A committed event as the queue keeps it: the bytes that are sent, and how far they came.
public struct QueuedEvent: Hashable, Sendable {
    /// Names the row on this device; ascending in the order of commits. It is the sequence number
    /// for events of the current epoch and negative for events salvaged from an earlier one.
    public var key: Int64
    public var clientEventID: String
    public var position: QueuePosition
    public var kind: EventKind
    public var status: Status
    /// One JSON object, a `WireEvent`, made at the commit; every try sends the same bytes.
    public var payload: [UInt8]

    public init(
        key: Int64, clientEventID: String, position: QueuePosition, kind: EventKind,
        status: Status = .pending, payload: [UInt8]
    ) {
        self.key = key
        self.clientEventID = clientEventID
        self.position = position
        self.kind = kind
        self.status = status
        self.payload = payload
    }

    public enum Status: Hashable, Sendable {
        case pending
        case acknowledged
        /// The server will never take it; `code` says why.
        case dead(code: String)
    }
}

/// The final word on one event.
public struct Settlement: Hashable, Sendable {
    public var key: Int64
    /// The event that the key named when it was sent. A queue that has changed from its disk to memory
    /// or back since has another event under that key, which is left alone. Nil: whatever it names.
    public var clientEventID: String?
    public var fate: Fate

    public init(key: Int64, clientEventID: String? = nil, fate: Fate) {
        self.key = key
        self.clientEventID = clientEventID
        self.fate = fate
    }

    public init(_ event: QueuedEvent, _ fate: Fate) {
        self.init(key: event.key, clientEventID: event.clientEventID, fate: fate)
    }

    public enum Fate: Hashable, Sendable {
        case acknowledged
        case dead(code: String)
    }
}
