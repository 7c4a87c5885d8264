import Glibc

/// A server that could not begin to listen.
public struct StartError: Error, Hashable, Sendable, CustomStringConvertible {
    public var address: ListenAddress
    /// The call that failed.
    public var call: String
    /// Its errno; 0 where the library gives none.
    public var code: Int32

    public init(address: ListenAddress, call: String, code: Int32) {
        self.address = address
        self.call = call
        self.code = code
    }

    public var description: String {
        let reason = code == 0 ? "refused" : String(cString: strerror(code))
        return "cannot listen on \(address): \(call): \(reason)"
    }
}
