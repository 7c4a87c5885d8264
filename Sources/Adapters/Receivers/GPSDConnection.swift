import CGPSD
import Glibc
import WireFormat

/// An open connection to gpsd over libgps: lines, and nothing of what libgps makes of them.
///
/// `@unchecked Sendable`: it is made on the thread that connects, handed over once under the lock of
/// `GPSDOpening`, and from then on used by the reader's thread alone.
final class GPSDConnection: @unchecked Sendable {
    /// Larger than the buffer of any libgps (20,480 bytes in 3.22 and 3.25).
    static let maximumLineBytes = 65_536

    /// Why gpsd cannot be reached, in the words of libgps and in what they mean.
    struct OpenError: Error, Hashable, CustomStringConvertible {
        enum Cause: Hashable {
            case unknownHost
            case refused
            case other
        }
        let cause: Cause
        let description: String
    }

    /// Why a connection came to its end.
    enum End: Hashable {
        case closed
        case overlongLine
        case broken(Int32)
    }

    enum Reading {
        case line([UInt8])
        /// Everything that has arrived was read.
        case nothing
        case end(End)
    }

    private let handle: UnsafeMutableRawPointer
    private var buffer = [CChar](repeating: 0, count: maximumLineBytes)

    /// Connects, which blocks for as long as the network lets it: minutes.
    init(_ address: GPSDAddress) throws(OpenError) {
        var failure: Int32 = 0
        let opened = geofenced_gpsd_open(address.host, String(address.port), &failure)
        guard let opened else {
            let reason = geofenced_gpsd_reason(failure).map { String(cString: $0) } ?? "no reason"
            throw OpenError(cause: Self.cause(failure), description: reason)
        }
        handle = opened
        let flags = fcntl(number, F_GETFL)
        if flags >= 0 { _ = fcntl(number, F_SETFL, flags | O_NONBLOCK) }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        geofenced_gpsd_close(handle)
    }

    /// For poll(2).
    var number: Int32 { geofenced_gpsd_descriptor(handle) }

    /// Asks for the reports of all receivers; false when the connection broke.
    func watch() -> Bool { geofenced_gpsd_watch(handle) >= 0 }

    /// Asks which receivers there are; false when the connection broke.
    func askDevices() -> Bool { geofenced_gpsd_ask_devices(handle) >= 0 }

    /// The next line, without waiting for it.
    func read() -> Reading {
        let size = buffer.count
        var failure: Int32 = 0
        let status = buffer.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { geofenced_gpsd_read(handle, $0, Int32(size), &failure) } ?? -1
        }
        if status > 0 {
            return .line(buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)))
        }
        guard status < 0 else { return .nothing }
        switch failure {
        case 0: return .end(.closed)
        case ..<0: return .end(.overlongLine)
        default: return .end(.broken(failure))
        }
    }

    private static func cause(_ failure: Int32) -> OpenError.Cause {
        switch failure {
        case NL_NOHOST: .unknownHost
        case NL_NOCONNECT: .refused
        default: .other
        }
    }
}
