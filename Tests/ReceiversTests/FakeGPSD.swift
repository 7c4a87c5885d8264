import Foundation
import Glibc
import LinuxSystem
import Synchronization
import TestSupport

/// A gpsd that does what a test says: on loopback, one thread for each connection.
final class FakeGPSD: Sendable {
    let port: Int
    private let listener: Int32
    private let stop: WakeEvent
    private let shared = Shared()

    /// What the threads share with the test.
    fileprivate final class Shared: Sendable {
        let received = Mutex<[String]>([])
        let connections = Mutex(0)
    }

    /// One connection, from gpsd's side.
    struct Client {
        let descriptor: Int32
        /// 0 for the first.
        let number: Int
        fileprivate let stop: WakeEvent
        fileprivate let shared: Shared

        @discardableResult
        func send(_ text: String) -> Bool {
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        /// Waits; false when the test is over.
        @discardableResult
        func pause(milliseconds: Int) -> Bool { !stop.wait(milliseconds: milliseconds) }

        /// What the other side has sent within a time; nil when it is gone or the test is over.
        func receive(milliseconds: Int32) -> String? {
            var descriptors = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stop.number, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&descriptors, 2, milliseconds) > 0 else { return "" }
            if descriptors[1].revents != 0 { return nil }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            let text = String(decoding: buffer[..<count], as: UTF8.self)
            shared.received.withLock { $0.append(text) }
            return text
        }

        /// Stays until the other side is gone or the test is over.
        func stay(answer: (String) -> String = { _ in "" }) {
            while let text = receive(milliseconds: 10_000) { send(answer(text)) }
        }

        /// The next close sends RST instead of FIN.
        func breakAtEnd() {
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }
    }

    /// - Parameter script: what is done with each connection; it is closed when the script ends.
    init(_ script: @escaping @Sendable (Client) -> Void) throws {
        (listener, port) = try Self.listen(backlog: 16)
        let stop = try WakeEvent()
        self.stop = stop
        let (listener, shared) = (listener, shared)
        _ = try DedicatedThread(name: "fake gpsd") {
            while true {
                var descriptors = [
                    pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: stop.number, events: Int16(POLLIN), revents: 0),
                ]
                guard poll(&descriptors, 2, -1) > 0, descriptors[1].revents == 0 else { return }
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { return }
                let number = shared.connections.withLock { count in
                    defer { count += 1 }
                    return count
                }
                let client = Client(
                    descriptor: descriptor, number: number, stop: stop, shared: shared)
                _ = try? DedicatedThread(name: "fake client") {
                    _ = client.receive(milliseconds: 5000)
                    script(client)
                    close(descriptor)
                }
            }
        }
    }

    /// Everything that clients have sent, in order.
    var received: String { shared.received.withLock { $0.joined() } }

    var connections: Int { shared.connections.withLock { $0 } }

    /// Ends all connections.
    func end() { stop.signal() }

    deinit {
        stop.signal()
        close(listener)
    }

    /// A listening socket on a free port of loopback.
    static func listen(backlog: Int32) throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, length) == 0 && Glibc.listen(descriptor, backlog) == 0
                    && getsockname(descriptor, generic, &length) == 0
            }
        }
        guard isBound else { throw SystemError("bind", code: errno) }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
}

/// Reports as gpsd writes them, a second apart.
enum SampleReports {
    static let greeting = #"{"class":"VERSION","release":"3.22","proto_major":3}"# + "\r\n"
    static let devices =
        #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyACM0","activated":"#
        + #""2026-03-01T12:00:00.000Z"}]}"# + "\r\n"

    static func position(_ second: Int, place: String = #""lat":52.5,"lon":13.4"#) -> String {
        let minute = 10 + second / 60 % 50
        let rest = second % 60 < 10 ? "0\(second % 60)" : "\(second % 60)"
        return #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2026-03-01T12:\#(minute):"#
            + #"\#(rest).000Z",\#(place)}"# + "\r\n"
    }
}
