import Foundation
import Synchronization

/// A server on loopback that answers every connection with a script of raw steps.
final class FaultServer: Sendable {
    enum Step: Sendable {
        case write([UInt8])
        case wait(seconds: Double)
        /// Bytes one at a time, with a pause after each.
        case drip([UInt8], pauseSeconds: Double)
        /// Close with RST instead of FIN.
        case reset

        static func text(_ text: String) -> Step { .write(Array(text.utf8)) }
    }

    struct Received: Sendable {
        var head: String
        var body: [UInt8]

        func header(_ name: String) -> String? {
            head.split(separator: "\r\n").lazy
                .map { $0.split(separator: ":", maxSplits: 1) }
                .first { $0.count == 2 && $0[0].lowercased() == name.lowercased() }
                .map { $0[1].trimmingCharacters(in: .whitespaces) }
        }
    }

    let port: UInt16
    private let listener: Int32
    private let script: @Sendable (Received) -> [Step]
    private let log = Mutex<[Received]>([])
    private let connectionCount = Atomic<Int>(0)

    /// `script` gets the request; the connection is closed after the last step unless it is told
    /// to stay for more requests.
    init(script: @escaping @Sendable (Received) -> [Step]) throws {
        let opened = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(opened, address, length) == 0, listen(opened, 16) == 0,
                    getsockname(opened, address, &length) == 0
                else { return UInt16(0) }
                return pointer.pointee.sin_port.bigEndian
            }
        }
        guard port != 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        listener = opened
        self.port = port
        self.script = script
        Thread.detachNewThread { [self] in acceptAll() }
    }

    var url: String { "http://127.0.0.1:\(port)" }
    var received: [Received] { log.withLock { $0 } }
    var connections: Int { connectionCount.load(ordering: .relaxed) }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    deinit { close(listener) }

    private func acceptAll() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            connectionCount.wrappingAdd(1, ordering: .relaxed)
            Thread.detachNewThread { [self] in serve(connection) }
        }
    }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        while let request = read(connection) {
            log.withLock { $0.append(request) }
            var mayStay = false
            for step in script(request) {
                switch step {
                case .write(let bytes):
                    guard send(bytes, connection) else { return }
                    mayStay = bytes.starts(with: Array("HTTP/1.1 200 KEEP".utf8))
                case .wait(let seconds): Thread.sleep(forTimeInterval: seconds)
                case .drip(let bytes, let pause):
                    for byte in bytes {
                        guard send([byte], connection) else { return }
                        Thread.sleep(forTimeInterval: pause)
                    }
                case .reset:
                    var linger = linger(l_onoff: 1, l_linger: 0)
                    setsockopt(
                        connection, SOL_SOCKET, SO_LINGER, &linger,
                        socklen_t(MemoryLayout<Glibc.linger>.size))
                }
            }
            if !mayStay { return }
        }
    }

    private func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
        Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    private func read(_ connection: Int32) -> Received? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let range = Data(bytes).range(of: Data(end)) {
                let head = String(decoding: bytes[..<range.lowerBound], as: UTF8.self)
                let request = Received(head: head, body: [])
                let length = request.header("Content-Length").flatMap(Int.init) ?? 0
                if bytes.count >= range.upperBound + length {
                    return Received(
                        head: head, body: Array(bytes[range.upperBound..<range.upperBound + length])
                    )
                }
            }
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            bytes += chunk[..<count]
        }
    }
}
