/// A value that one process leaves to the next as bytes.
///
/// The bytes have neither names nor a version: they are read by the program that wrote them, minutes
/// later at most. What is longer lived is JSON (`Codable`).
public protocol Snapshotted {
    func write(to snapshot: inout SnapshotWriter)

    /// Reads what `write` wrote, in the same order; throws where it cannot have written that.
    init(from snapshot: inout SnapshotReader) throws(SnapshotError)
}

/// Why bytes are no snapshot of this program.
public enum SnapshotError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There are fewer bytes than the values need.
    case endsEarly
    /// There are more, this many.
    case leftOver(Int)
    /// A value that nobody writes.
    case impossible(String)

    public var description: String {
        switch self {
        case .endsEarly: "it ends early"
        case .leftOver(let count): "\(count) bytes are left over"
        case .impossible(let what): "\(what) is impossible"
        }
    }
}
