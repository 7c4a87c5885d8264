import Synchronization

/// The body of an answer that is made while it is sent, piece by piece.
public final class BodyStream: Sendable {
    /// The next piece, empty where a search has not found anything yet; nil: that was all. It is
    /// called on a network thread, which answers others in between: bound what one call does.
    /// Throwing cuts the connection, so that the client sees that something is missing.
    public typealias Source = @Sendable () throws -> [UInt8]?

    private let source: Source
    private let rest = Mutex<ArraySlice<UInt8>>([])

    public init(_ source: @escaping Source) {
        self.source = source
    }

    /// Bytes that were put into `buffer`, 0: none yet; nil: there are no more.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
        try rest.withLock { rest in
            if rest.isEmpty {
                guard let piece = try source() else { return nil }
                rest = piece[...]
            }
            let count = min(buffer.count, rest.count)
            buffer.copyBytes(from: rest.prefix(count))
            rest = rest.dropFirst(count)
            return count
        }
    }

    /// Everything at once, for those that have no connection.
    public func collect() throws -> [UInt8] {
        var all = Array(rest.withLock { $0 })
        while let piece = try source() { all += piece }
        return all
    }
}

extension BodyStream: Hashable {
    public static func == (left: BodyStream, right: BodyStream) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
