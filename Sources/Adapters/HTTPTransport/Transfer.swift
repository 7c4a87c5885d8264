import CCurl
import Delivery

/// What arrives during one transfer; libcurl's callbacks write into it.
final class Transfer {
    private let bodyLimit: Int
    private let control: TransferControl
    private(set) var body: [UInt8] = []
    private(set) var isOverLimit = false
    private(set) var headers: [String: String] = [:]

    /// Headers that are kept of one answer.
    private static let headerLimit = 100

    init(bodyLimit: Int, control: TransferControl) {
        self.bodyLimit = bodyLimit
        self.control = control
    }

    /// Makes a handle report to this transfer, which must outlive the transfer.
    func attach(to handle: UnsafeMutableRawPointer) -> CURLcode {
        geofenced_curl_set_callbacks(
            handle, Unmanaged.passUnretained(self).toOpaque(),
            { bytes, size, count, context in
                Transfer.from(context)?.receive(bytes, count: size * count) ?? 0
            },
            { bytes, size, count, context in
                Transfer.from(context)?.receiveHeader(bytes, count: size * count)
                return size * count
            },
            { context, _, _, _, _ in
                // Anything but 0 ends the transfer.
                Transfer.from(context)?.control.isStopped == false ? 0 : 1
            })
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The count that was taken; less than `count` ends the transfer.
    private func receive(_ bytes: UnsafeMutablePointer<CChar>?, count: Int) -> Int {
        guard body.count + count <= bodyLimit else {
            isOverLimit = true
            return 0
        }
        body += UnsafeRawBufferPointer(start: bytes, count: count)
        return count
    }

    private func receiveHeader(_ bytes: UnsafeMutablePointer<CChar>?, count: Int) {
        let line = String(
            decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            // Another answer begins: after a 100, or after a proxy's.
            headers.removeAll()
            return
        }
        guard headers.count < Self.headerLimit, let colon = line.firstIndex(of: ":") else { return }
        let blanks: Set<Character> = [" ", "\t", "\r", "\n", "\r\n"]
        let value = line[line.index(after: colon)...].drop { blanks.contains($0) }
        headers[line[..<colon].lowercased()] = String(
            value.reversed().drop { blanks.contains($0) }.reversed())
    }
}
