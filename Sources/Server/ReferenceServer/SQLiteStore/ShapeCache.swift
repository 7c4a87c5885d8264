import Geodesy
import Synchronization

/// Shapes laid out for measuring, so that a search does not read the same fences again and again.
///
/// A tag belongs to one content of one row, and rows are never used again: what is found under
/// both is right for as long as it is kept.
final class ShapeCache: Sendable {
    /// Vertices of all shapes together; about 200 bytes each.
    static let capacity = 500_000

    private let state = Mutex(State())

    private struct State {
        var shapes: [Key: PreparedShape] = [:]
        var cost = 0
    }

    struct Key: Hashable, Sendable {
        var rowID: Int64
        var tag: Int64
    }

    func shape(for key: Key) -> PreparedShape? { state.withLock { $0.shapes[key] } }

    func insert(_ shape: PreparedShape, for key: Key) {
        let cost = Self.cost(of: shape)
        state.withLock { state in
            // Starting over is cheap beside keeping an order of use on every search.
            if state.cost + cost > Self.capacity { state = State() }
            if state.shapes.updateValue(shape, forKey: key) == nil { state.cost += cost }
        }
    }

    private static func cost(of shape: PreparedShape) -> Int { 2 + shape.vertexCount }
}
