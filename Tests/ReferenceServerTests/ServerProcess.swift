import Foundation
import Glibc

/// A `geofence-server serve` of its own process, on a port that the system chose.
final class ServerProcess {
    let port: UInt16
    private let process: Process
    private let errors: Pipe

    /// The program that was built beside these tests; nil where it was not.
    static let program: String? = {
        guard
            let tests = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/exe")
        else { return nil }
        let path = URL(fileURLWithPath: tests).deletingLastPathComponent()
            .appendingPathComponent("geofence-server").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()

    struct Failure: Error {
        var text: String
    }

    init(database: String) throws {
        process = Process()
        errors = Pipe()
        process.executableURL = URL(fileURLWithPath: Self.program ?? "")
        process.arguments = [
            "serve", "--database", database, "--listen", "127.0.0.1:0",
        ]
        process.standardError = errors
        try process.run()
        let line = Self.firstLine(errors.fileHandleForReading.fileDescriptor)
        guard let port = line.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            process.terminate()
            throw Failure(text: line)
        }
        self.port = port
        // The access log must be read, or the server would block on a full pipe.
        errors.fileHandleForReading.readabilityHandler = { handle in _ = handle.availableData }
    }

    /// SIGKILL, at once.
    func kill() {
        Glibc.kill(process.processIdentifier, SIGKILL)
        finish()
    }

    /// SIGTERM; the exit status.
    func terminate() -> Int32 {
        process.terminate()
        finish()
        return process.terminationStatus
    }

    private func finish() {
        process.waitUntilExit()
        errors.fileHandleForReading.readabilityHandler = nil
    }

    /// Runs a command to its end.
    static func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program ?? "")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    private static func firstLine(_ descriptor: Int32) -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }

    /// One request on a connection of its own; nil: no complete answer came.
    func ask(
        _ method: String, _ target: String, key: String, body: String = ""
    ) -> (status: Int, body: String)? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { return nil }
        let request = """
            \(method) \(target) HTTP/1.1\r\nHost: t\r\nConnection: close\r
            Authorization: Bearer \(key)\r\nX-Device-Id: van-7\r
            Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
            """
        var rest = Array(request.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return nil }
            rest = rest.dropFirst(count)
        }
        return Self.complete(readAll(descriptor))
    }

    private func readAll(_ descriptor: Int32) -> [UInt8] {
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return answer }
            answer += buffer[..<count]
        }
    }

    private static func complete(_ answer: [UInt8]) -> (status: Int, body: String)? {
        let text = String(decoding: answer, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n"), let status = Int(text.dropFirst(9).prefix(3)),
            let length = text.range(of: "Content-Length: ")
        else { return nil }
        let body = String(text[end.upperBound...])
        let announced = Int(text[length.upperBound...].prefix { $0.isNumber }) ?? -1
        return body.utf8.count == announced ? (status, body) : nil
    }
}
