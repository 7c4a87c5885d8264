/// Why bytes could not be compressed or inflated.
public enum CompressionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The output would be larger than the caller allows, bytes.
    case tooLarge(limit: Int)
    /// Not gzip, or its checksum is wrong.
    case damaged
    /// The input ends in the middle of a member.
    case truncated
    case outOfMemory

    public var description: String {
        switch self {
        case .tooLarge(let limit): "inflates to more than \(limit) bytes"
        case .damaged: "not gzip, or damaged"
        case .truncated: "the gzip data ends too early"
        case .outOfMemory: "no memory for zlib"
        }
    }
}
