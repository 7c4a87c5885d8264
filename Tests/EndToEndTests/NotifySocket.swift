import Foundation
import Synchronization

/// What a service manager listens on: a datagram socket for NOTIFY_SOCKET, sd_notify(3).
final class NotifySocket: Sendable {
    struct Message: Sendable {
        var text: String
        var at: Date
    }

    /// The value for NOTIFY_SOCKET.
    let name: String
    private let descriptor: Int32
    private let received = Mutex<[Message]>([])

    /// `name` is a path, or `@` and an abstract name. Nil where it cannot be bound.
    init?(_ name: String) {
        self.name = name
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard descriptor >= 0, bytes.count < capacity else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length)
            }
        }
        guard bound == 0 else { return nil }
        Thread.detachNewThread { [weak self, descriptor] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0, let self else { return }
                let text = String(decoding: buffer[..<count], as: UTF8.self)
                received.withLock { $0.append(Message(text: text, at: Date())) }
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    var messages: [Message] { received.withLock { $0 } }

    /// Assignments of one variable, such as STATUS, in order.
    func values(of variable: String) -> [String] {
        messages.flatMap { message in
            message.text.split(separator: "\n").filter { $0.hasPrefix(variable + "=") }
                .map { String($0.dropFirst(variable.utf8.count + 1)) }
        }
    }

    /// When the watchdog was told that all is well.
    var pings: [Date] { messages.filter { $0.text.contains("WATCHDOG=1") }.map(\.at) }
}
