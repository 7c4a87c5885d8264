import CommandLineTool
import Glibc

/// The same request again and again over kept connections, each with one answer outstanding, from
/// one thread: what it costs beside a request of a server is a write, a read and a search for the
/// end of the header.
final class RequestLoad {
    private let request: [UInt8]
    private var lines: [Line] = []
    private var polls: [pollfd] = []
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// What a run gave.
    struct Outcome {
        var answers = 0
        var seconds = 0.0
        /// Of each answer.
        var microseconds: [Double] = []

        var perSecond: Double { Double(answers) / seconds }
        var medianMicroseconds: Double {
            let sorted = microseconds.sorted()
            return sorted.isEmpty ? .infinity : sorted[sorted.count / 2]
        }
    }

    /// A connection and the answer that it is reading.
    private struct Line {
        var descriptor: Int32
        var header: [UInt8] = []
        /// Bytes of the body that are missing; nil: the header is not complete.
        var missing: Int?
        var sentAt = 0.0
    }

    /// Seconds without any answer after which a run fails.
    private static let patienceSeconds = 10.0
    /// Bytes of a header.
    private static let headerLimit = 16_384

    /// Connects to a port of 127.0.0.1.
    init(port: UInt16, request: String, connections: Int) throws {
        self.request = Array(request.utf8)
        for _ in 0..<connections {
            let descriptor = try Self.connect(to: port)
            lines.append(Line(descriptor: descriptor))
            polls.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        }
    }

    deinit {
        for line in lines { close(line.descriptor) }
    }

    /// Asks for so many seconds. Throws where an answer is none, or not 200.
    func run(seconds: Double) throws -> Outcome {
        var outcome = Outcome()
        let start = ElapsedClock.seconds
        let end = start + seconds
        for index in lines.indices { try send(index) }
        var outstanding = lines.count
        var last = start
        while outstanding > 0 {
            let ready = poll(&polls, nfds_t(polls.count), 1_000)
            let now = ElapsedClock.seconds
            guard ready > 0 else {
                guard now - last < Self.patienceSeconds else {
                    throw CommandFailure("the server does not answer any more")
                }
                continue
            }
            for index in polls.indices where polls[index].revents != 0 {
                guard try receive(index) else { continue }
                last = ElapsedClock.seconds
                outcome.answers += 1
                outcome.microseconds.append((last - lines[index].sentAt) * 1e6)
                if last < end { try send(index) } else { outstanding -= 1 }
            }
        }
        outcome.seconds = ElapsedClock.seconds - start
        return outcome
    }

    private func send(_ index: Int) throws {
        lines[index].header.removeAll(keepingCapacity: true)
        lines[index].missing = nil
        lines[index].sentAt = ElapsedClock.seconds
        guard write(lines[index].descriptor, request, request.count) == request.count else {
            throw CommandFailure("the server takes no request")
        }
    }

    /// Whether the answer is complete.
    private func receive(_ index: Int) throws -> Bool {
        let count = read(lines[index].descriptor, &buffer, buffer.count)
        guard count > 0 else { throw CommandFailure("the server closed a connection") }
        if let missing = lines[index].missing {
            lines[index].missing = missing - count
            return missing == count
        }
        lines[index].header += buffer[..<count]
        guard let end = Self.headerEnd(lines[index].header) else {
            guard lines[index].header.count < Self.headerLimit else {
                throw CommandFailure("the answer has no end of its header")
            }
            return false
        }
        let text = String(decoding: lines[index].header[..<end], as: UTF8.self).lowercased()
        guard text.hasPrefix("http/1.1 200 "), let length = Self.contentLength(text) else {
            throw CommandFailure("not an answer to measure: \(text.prefix { $0 != "\r\n" })")
        }
        let missing = length - (lines[index].header.count - end)
        lines[index].missing = missing
        return missing == 0
    }

    private static func headerEnd(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for index in 3..<bytes.count
        where bytes[index] == 10 && bytes[index - 1] == 13 && bytes[index - 2] == 10
            && bytes[index - 3] == 13
        {
            return index + 1
        }
        return nil
    }

    private static func contentLength(_ header: String) -> Int? {
        for line in header.split(separator: "\r\n") where line.hasPrefix("content-length:") {
            return Int(line.dropFirst(15).drop { $0 == " " })
        }
        return nil
    }

    private static func connect(to port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw CommandFailure("socket: errno \(errno)") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            let code = errno
            close(descriptor)
            throw CommandFailure("127.0.0.1:\(port): errno \(code)")
        }
        var isOn: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn,
            socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }
}
