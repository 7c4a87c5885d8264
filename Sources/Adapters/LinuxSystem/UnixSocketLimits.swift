/// What the clients of a control socket may take.
public struct UnixSocketLimits: Hashable, Sendable {
    /// Connections at a time; a further one gets `refusalOfClient` and is closed at once.
    public var maximumClients = 32
    /// Bytes of a request line; a longer one gets `refusalOfRequest`.
    public var maximumRequestBytes = 65_536
    /// The only line for a client too many; empty: none.
    public var refusalOfClient: [UInt8] = []
    /// The only line for a request that is too long; empty: none.
    public var refusalOfRequest: [UInt8] = []
    /// Bytes that wait for a client that reads slowly; with more, it has no room for another line.
    public var maximumPendingBytes = 1 << 20
    /// Bytes up to which there is room again for one who waits for it.
    public var roomyPendingBytes = 65_536
    /// Time for a client to send its request; and time without taking anything after which nobody
    /// waits for it any longer.
    public var patienceMilliseconds = 10_000

    public init() {}
}
