import CZlib

/// gzip (RFC 1952) over zlib, in memory.
public enum Gzip {
    /// Compresses; `level` 1 (fast) ... 9 (small).
    public static func compress(
        _ bytes: [UInt8], level: Int32 = 6
    ) throws(CompressionError) -> [UInt8] {
        var stream = z_stream()
        guard geofenced_gzip_deflate_init(&stream, level) == Z_OK else { throw .outOfMemory }
        defer { deflateEnd(&stream) }
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: chunkSize)
        var status = Z_OK
        bytes.withUnsafeBufferPointer { input in
            // zlib does not write through next_in; the pointer lacks const for old compilers.
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.avail_in = UInt32(clamping: input.count)
            repeat {
                status = chunk.withUnsafeMutableBufferPointer { space in
                    stream.next_out = space.baseAddress
                    stream.avail_out = UInt32(chunkSize)
                    return deflate(&stream, Z_FINISH)
                }
                output += chunk[..<(chunkSize - Int(stream.avail_out))]
            } while status == Z_OK
        }
        guard status == Z_STREAM_END else { throw .outOfMemory }
        return output
    }

    /// Inflates one or more gzip members. Stops with `tooLarge` as soon as the output would exceed
    /// `limit` bytes, however small the input is.
    public static func decompress(
        _ bytes: [UInt8], limit: Int
    ) throws(CompressionError) -> [UInt8] {
        var stream = z_stream()
        guard geofenced_gzip_inflate_init(&stream) == Z_OK else { throw .outOfMemory }
        defer { inflateEnd(&stream) }
        var output: [UInt8] = []
        // Texts become a third to a tenth; what is made of less grows.
        output.reserveCapacity(min(limit, 4 * min(bytes.count, limit)))
        var failure: CompressionError?
        bytes.withUnsafeBufferPointer { input in
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.avail_in = UInt32(clamping: input.count)
            failure = inflateMembers(&stream, into: &output, limit: limit)
        }
        if let failure { throw failure }
        return output
    }

    /// The space that zlib is given at a time.
    private static let chunkSize = 16_384

    private static func inflateMembers(
        _ stream: inout z_stream, into output: inout [UInt8], limit: Int
    ) -> CompressionError? {
        var chunk = [UInt8](repeating: 0, count: chunkSize)
        while true {
            let status = chunk.withUnsafeMutableBufferPointer { space in
                stream.next_out = space.baseAddress
                stream.avail_out = UInt32(chunkSize)
                return inflate(&stream, Z_NO_FLUSH)
            }
            let made = chunkSize - Int(stream.avail_out)
            guard output.count + made <= limit else { return .tooLarge(limit: limit) }
            output += chunk[..<made]
            switch status {
            case Z_STREAM_END:
                if stream.avail_in == 0 { return nil }
                guard inflateReset(&stream) == Z_OK else { return .damaged }
            case Z_OK: continue
            case Z_BUF_ERROR: return .truncated
            case Z_MEM_ERROR: return .outOfMemory
            default: return .damaged
            }
        }
    }
}
