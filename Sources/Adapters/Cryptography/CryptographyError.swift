/// libcrypto refused: no memory, no entropy, or an algorithm that its configuration forbids.
public enum CryptographyError: Error, Hashable, CustomStringConvertible {
    /// The C function that failed.
    case unavailable(String)

    public var description: String {
        switch self {
        case .unavailable(let function): "libcrypto: \(function) failed"
        }
    }
}
