import CMicrohttpd

/// Hands a `BodyStream` to the library, which pulls a piece whenever the socket takes one.
final class StreamedBody {
    /// Bytes that are asked for at once.
    private static let pieceBytes = 32_768
    /// MHD_SIZE_UNKNOWN of microhttpd.h, whose cast Swift does not import.
    private static let unknownSize = UInt64.max
    /// MHD_CONTENT_READER_END_OF_STREAM and MHD_CONTENT_READER_END_WITH_ERROR, likewise.
    private static let isOver = -1
    private static let isBroken = -2

    private let stream: BodyStream
    private let connection: ClientConnection
    private let handle: OpaquePointer
    private let limits: ServerLimits

    init(_ stream: BodyStream, to exchange: Exchange) {
        self.stream = stream
        connection = exchange.connection
        handle = exchange.handle
        limits = exchange.core.limits
    }

    /// Nil where the library has no memory. It keeps the body until the answer is destroyed.
    static func response(_ body: StreamedBody) -> OpaquePointer? {
        let context = Unmanaged.passRetained(body)
        let made = MHD_create_response_from_callback(
            unknownSize, pieceBytes,
            { context, _, buffer, size in
                guard let context, let buffer else { return StreamedBody.isBroken }
                return Unmanaged<StreamedBody>.fromOpaque(context).takeUnretainedValue()
                    .read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
            }, context.toOpaque(),
            { context in
                if let context { Unmanaged<StreamedBody>.fromOpaque(context).release() }
            })
        if made == nil { context.release() }
        return made
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        do {
            guard let count = try stream.read(into: buffer) else { return Self.isOver }
            guard count > 0 else {
                connection.state.withLock { $0.searched(limits: limits) }
                // Its turn comes again after the other connections of this thread.
                MHD_suspend_connection(handle)
                MHD_resume_connection(handle)
                return 0
            }
            connection.state.withLock { $0.streamed(bytes: count) }
            return count
        } catch {
            return Self.isBroken
        }
    }
}
