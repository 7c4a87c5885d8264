/// Whether commits reach the disk.
public enum StorageHealth: Hashable, Sendable {
    case durable
    /// The disk refuses writes; events and state are in memory, bounded, until it takes them again.
    case storageReadOnly(reason: String)
    /// The disk is full, and eviction and the ballast did not help; as `storageReadOnly`.
    case diskFull(reason: String)

    /// Why they do not, with the name; nil: they do.
    public var problem: String? {
        switch self {
        case .durable: nil
        case .storageReadOnly(let reason), .diskFull(let reason): "\(name): \(reason)"
        }
    }

    /// The name in `status` and the metrics.
    public var name: String {
        switch self {
        case .durable: "durable"
        case .storageReadOnly: "storageReadOnly"
        case .diskFull: "diskFull"
        }
    }
}
