/// One client of the control socket, as the socket's adapter gives it.
public protocol ControlClient: Sendable {
    /// Sends one line without its line feed, at once; false when the client is gone or has no room.
    @discardableResult
    func send(line: [UInt8]) -> Bool
    /// Waits until there is room for more lines; false when the client is gone.
    func waitForRoom() async -> Bool
    /// Ends the connection once the client has everything, `lastLine` included.
    func finish(lastLine: [UInt8]?)
    /// Calls `observer` once when the client is gone, at once when it is gone already.
    func onEnd(_ observer: @escaping @Sendable () -> Void)
    /// Whether lines can still be sent.
    var isOpen: Bool { get }
}
