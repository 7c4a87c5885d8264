/// One client of the control socket, as the socket's adapter gives it. Nothing here waits.
public protocol ControlClient: Sendable {
    /// Sends one line without its line feed; false when the client is gone.
    @discardableResult
    func send(line: [UInt8]) -> Bool
    /// Ends the connection once the client has everything.
    func finish()
    /// Whether lines can still be sent.
    var isOpen: Bool { get }
}
