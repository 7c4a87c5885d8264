import Synchronization

/// The bytes of fences as answers hold them, so that an answer reads no database.
///
/// A tag belongs to one content of one row, and rows are never used again: what is found under both
/// is right for as long as it is kept.
final class DocumentCache: Sendable {
    /// Bytes of all documents together.
    static let capacity = 33_554_432
    /// Bytes that one takes besides.
    private static let overhead = 128

    private let state = Mutex(State())

    private struct State {
        var fences: [ShapeCache.Key: StoredFence] = [:]
        var bytes = 0
    }

    /// In the order of the keys; nil where one is not kept.
    func fences(for keys: [ShapeCache.Key]) -> [StoredFence?] {
        state.withLock { state in keys.map { state.fences[$0] } }
    }

    func insert(_ fence: StoredFence, rowID: Int64) {
        let key = ShapeCache.Key(rowID: rowID, tag: fence.tag)
        let bytes = fence.document.count + Self.overhead
        state.withLock { state in
            // Starting over is cheap beside keeping an order of use on every answer.
            if state.bytes + bytes > Self.capacity { state = State() }
            if state.fences.updateValue(fence, forKey: key) == nil { state.bytes += bytes }
        }
    }
}
