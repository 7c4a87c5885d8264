/// What the clients of a control socket may take.
public struct UnixSocketLimits: Hashable, Sendable {
    /// Connections at a time; a further one is closed at once.
    public var maximumClients = 32
    /// Bytes of a request line.
    public var maximumRequestBytes = 65_536
    /// Bytes that wait for a client that reads slowly; more, and it is dropped.
    public var maximumPendingBytes = 1 << 20
    /// Time for a client to send its request, and to take the rest of its answer.
    public var patienceMilliseconds = 10_000

    public init() {}
}
