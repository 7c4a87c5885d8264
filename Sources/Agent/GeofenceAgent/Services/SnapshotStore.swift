/// Where snapshots are left for the next process of the same boot: two slots that hold a few
/// kilobytes each, and that a reboot may empty.
public protocol SnapshotStore: Sendable {
    /// Replaces what a slot holds, in one step: who is killed in it leaves old or new.
    func write(_ bytes: [UInt8], to slot: Int) throws(SnapshotStoreError)

    /// Nil where nothing can be read.
    func read(_ slot: Int) -> [UInt8]?
}

/// Why a slot could not be written, in words.
public struct SnapshotStoreError: Error, Hashable, Sendable {
    public var detail: String

    public init(_ detail: String) {
        self.detail = detail
    }
}
